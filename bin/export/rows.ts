/** Where the rows of a growing export end, and how to go on after the last complete one. */

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";
import { collectionKey } from "../../src/domain/token-ref.ts";

export type TextFormat = "ndjson" | "csv";
export type Subject = "tokens" | "owners";

const [QUOTE, CR, LF] = [0x22, 0x0d, 0x0a];

export interface RowScan {
  /** Complete rows so far; the header of CSV counts. */
  readonly rows: number;
  /** The byte behind the first complete row. */
  readonly firstEnd: number;
  /** The bytes of the last complete row. */
  readonly lastStart: number;
  readonly lastEnd: number;
  /** Only CSV of another program ends lines like this: without a carriage return. */
  readonly hasForeignLineEnd: boolean;
}

/** Counts rows in bytes that come in pieces. In CSV a quoted cell may contain line ends (RFC 4180). */
export function createRowScanner(format: TextFormat): {
  add(bytes: Uint8Array): void;
  readonly scan: RowScan;
} {
  const scan = { rows: 0, firstEnd: 0, lastStart: 0, lastEnd: 0, hasForeignLineEnd: false };
  let at = 0;
  let [isQuoted, isAfterCr] = [false, false];
  const endRow = (end: number): void => {
    scan.rows++;
    scan.lastStart = scan.lastEnd;
    scan.lastEnd = end;
    if (scan.rows === 1) scan.firstEnd = end;
  };
  return {
    scan,
    add(bytes) {
      if (format === "ndjson")
        for (let end = bytes.indexOf(LF); end >= 0; end = bytes.indexOf(LF, end + 1)) endRow(at + end + 1);
      else
        for (let index = 0; index < bytes.length; index++) {
          const byte = bytes[index];
          if (byte === QUOTE) isQuoted = !isQuoted;
          else if (byte === LF && !isQuoted) {
            if (isAfterCr) endRow(at + index + 1);
            else scan.hasForeignLineEnd = true;
          }
          isAfterCr = byte === CR;
        }
      at += bytes.length;
    },
  };
}

/** What a file holds that an export goes on with. */
export interface Written {
  /** The byte behind its last complete row. */
  readonly end: number;
  /** Its rows, without the header. */
  readonly rows: number;
  /** The header of CSV as it stands in the file; empty in NDJSON and in a file without any. */
  readonly header: string;
  /** The token id, or the owner, of the last row; undefined without a row. */
  readonly last: string | undefined;
  /** The key of the collection that the last row names; rows of owners name none. */
  readonly collection: string | undefined;
}

// How an export begins; a row of NDJSON as well.
const BEGINNINGS: Readonly<Record<TextFormat, Readonly<Record<Subject, string>>>> = {
  ndjson: { tokens: '{"chain_id":', owners: '{"owner":"0x' },
  csv: { tokens: "chain_id,collection_address,token_id,", owners: "owner,quantity" },
};
const BEGINNING_BYTES = 100;
const canBegin = (text: string, beginning: string): boolean =>
  text.startsWith(beginning) || beginning.startsWith(text);

/** Reads a whole export. Throws if the file doesn't begin as one, or if its end is of something else. */
export async function readWritten(file: string, format: TextFormat, what: Subject): Promise<Written> {
  const scanner = createRowScanner(format);
  for await (const bytes of createReadStream(file, { highWaterMark: 1 << 20 })) scanner.add(bytes as Buffer);
  const { rows, firstEnd, lastStart, lastEnd, hasForeignLineEnd } = scanner.scan;
  const handle = await open(file);
  const slice = async (start: number, end: number): Promise<string> => {
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(end - start), 0, end - start, start);
    return buffer.toString("utf8", 0, bytesRead);
  };
  const refuse = (reason: string): never => {
    throw new Error(`${file} can't be continued: ${reason}.`);
  };
  try {
    if (!canBegin(await slice(0, BEGINNING_BYTES), BEGINNINGS[format][what]) || hasForeignLineEnd)
      refuse(`its first row is not one of ${what} in ${format}`);
    const header = format === "csv" ? await slice(0, firstEnd) : "";
    const ownRows = format === "csv" ? Math.max(0, rows - 1) : rows;
    const cells = ownRows === 0 ? {} : cellsOf(await slice(lastStart, lastEnd), header);
    const last = ownRows === 0 ? undefined : lastOf(cells, what);
    if (ownRows > 0 && last === undefined) refuse(`its last row is not one of ${what} in ${format}`);
    // What is removed: a part of a row, or of the header.
    const rest = await slice(lastEnd, lastEnd + BEGINNING_BYTES);
    const { chain_id: chainId, collection_address: address } = cells;
    const collection =
      address === undefined
        ? undefined
        : collectionKey({ chainId: Number(chainId), address: String(address) });
    if (format === "csv" && rows > 0) {
      const row = collection === undefined ? (what === "owners" ? "0x" : "") : `${chainId},${address},`;
      if (!canBegin(rest, row)) refuse("what follows its last row is not a part of one");
    } else if (!canBegin(rest, BEGINNINGS[format][what]))
      refuse("what follows its last row is not a part of one");
    return { end: lastEnd, rows: ownRows, header, last, collection };
  } finally {
    await handle.close();
  }
}

const cellsOf = (row: string, header: string): Record<string, unknown> =>
  header === "" ? jsonCells(row) : csvCells(header, row);

function lastOf({ token_id, owner }: Record<string, unknown>, what: Subject): string | undefined {
  // Rows of tokens have an owner too.
  const value = what === "tokens" ? token_id : token_id === undefined ? owner : undefined;
  return typeof value === "string" && value !== "" ? value : undefined;
}

function jsonCells(row: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(row));
  } catch {
    return {};
  }
}

function csvCells(header: string, row: string): Record<string, unknown> {
  const cells = splitCsv(row);
  return Object.fromEntries(splitCsv(header).map((name, index) => [name, cells[index]]));
}

const splitCsv = (row: string): string[] =>
  [...row.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(?:,|\r\n)/gy)].map(
    ([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain,
  );
