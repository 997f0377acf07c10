/** Where the rows of a growing export end, and how to go on after the last complete one. */

import { createReadStream } from "node:fs";
import { open } from "node:fs/promises";

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
}

/** Counts rows in bytes that come in pieces. In CSV a quoted cell may contain line ends (RFC 4180). */
export function createRowScanner(format: TextFormat): {
  add(bytes: Uint8Array): void;
  readonly scan: RowScan;
} {
  const scan = { rows: 0, firstEnd: 0, lastStart: 0, lastEnd: 0 };
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
          else if (byte === LF && isAfterCr && !isQuoted) endRow(at + index + 1);
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
}

/** Reads a whole export. Throws if its last row is of something else. */
export async function readWritten(file: string, format: TextFormat, what: Subject): Promise<Written> {
  const scanner = createRowScanner(format);
  for await (const bytes of createReadStream(file, { highWaterMark: 1 << 20 })) scanner.add(bytes as Buffer);
  const { rows, firstEnd, lastStart, lastEnd } = scanner.scan;
  const handle = await open(file);
  const slice = async (start: number, end: number): Promise<string> => {
    const { buffer } = await handle.read(Buffer.alloc(end - start), 0, end - start, start);
    return buffer.toString();
  };
  try {
    const header = format === "csv" ? await slice(0, firstEnd) : "";
    const ownRows = format === "csv" ? Math.max(0, rows - 1) : rows;
    const last = ownRows === 0 ? undefined : lastOf(await slice(lastStart, lastEnd), header, what);
    if (ownRows > 0 && last === undefined)
      throw new Error(`${file} can't be continued: its last row is not one of ${what} in ${format}.`);
    return { end: lastEnd, rows: ownRows, header, last };
  } finally {
    await handle.close();
  }
}

function lastOf(row: string, header: string, what: Subject): string | undefined {
  const { token_id, owner } = header === "" ? jsonCells(row) : csvCells(header, row);
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
  [...row.matchAll(/(?:"((?:[^"]|"")*)"|([^",\r\n]*))(?:,|\r\n)/g)].map(
    ([, quoted, plain = ""]) => quoted?.replaceAll('""', '"') ?? plain,
  );
