/** Writes the stream of an export to a file or to stdout. */

import { existsSync } from "node:fs";
import { access, constants, open, rm } from "node:fs/promises";
import { dirname, resolve, sep } from "node:path";
import { Readable, type Writable } from "node:stream";
import { pipeline } from "node:stream/promises";
import type { ReadableStream as NodeReadableStream } from "node:stream/web";
import { createRowScanner, readWritten, type Subject, type TextFormat, type Written } from "./rows.ts";

export interface Progress {
  /** Rows of this run; null in Parquet, whose rows can't be counted as they pass. */
  readonly rows: number | null;
  readonly bytes: number;
}

/** The file can't be continued, however often it is tried. */
export class ColumnsChanged extends Error {
  override readonly name = "ColumnsChanged";
}

const PARQUET_END = Buffer.from("PAR1");
const NOTHING: Written = { end: 0, rows: 0, header: "", last: undefined, collection: undefined };

/** What an export into `file` goes on with. Throws if the file is there and may not be continued. */
export async function findWritten(
  file: string | undefined,
  { format, what, isResume }: { format: TextFormat | "parquet"; what: Subject; isResume: boolean },
): Promise<Written> {
  if (isResume && file === undefined) throw new Error("--resume continues a file; pass --out.");
  if (isResume && format === "parquet")
    throw new Error("Parquet can't be resumed: its footer comes last. Export parts, by --from-token-id.");
  if (file === undefined) return NOTHING;
  if (!existsSync(file)) {
    await requireFolder(file);
    return NOTHING;
  }
  if (!isResume || format === "parquet")
    throw new Error(`${file} exists; continue it with --resume (NDJSON and CSV), or delete it.`);
  return readWritten(file, format, what);
}

const ABSENT: readonly unknown[] = ["ENOENT", "ENOTDIR"];

/** Before anything is asked of the service. */
async function requireFolder(file: string): Promise<void> {
  const folder = dirname(resolve(file));
  if (file.endsWith("/") || file.endsWith(sep))
    throw new Error(`${file} can't be written: it names a folder.`);
  // With the slash, a file isn't one.
  await access(`${folder}/`, constants.W_OK).catch((cause: NodeJS.ErrnoException) => {
    const why = ABSENT.includes(cause.code) ? "is no folder" : `can't be written (${cause.code})`;
    throw new Error(`${file} can't be written: ${folder} ${why}.`, { cause });
  });
}

/**
 * Appends the body behind the complete rows of the file, without a second header. Rejects when the connection or the
 * disk fails; the file then has complete rows and perhaps a part of one, and no file of Parquet is left.
 */
export async function writeExport(
  body: NodeReadableStream<Uint8Array>,
  {
    file,
    format,
    written,
    signal,
    onProgress,
  }: {
    readonly file: string | undefined;
    readonly format: TextFormat | "parquet";
    readonly written: Written;
    readonly signal: AbortSignal;
    readonly onProgress: (progress: Progress) => void;
  },
): Promise<Progress> {
  const scanner = format === "parquet" ? undefined : createRowScanner(format);
  let [received, lastBytes] = [0, Buffer.alloc(0)];
  const headers = format === "csv" ? 1 : 0;
  let bytes = 0;
  const progress = (): Progress => ({
    rows: scanner ? Math.max(0, scanner.scan.rows - headers) : null,
    bytes,
  });
  async function* counted(source: AsyncIterable<Uint8Array>) {
    let [skipped, isHeaderRead] = [Buffer.alloc(0), written.header === ""];
    for await (const chunk of source) {
      scanner?.add(chunk);
      received += chunk.length;
      lastBytes = Buffer.concat([lastBytes, chunk.subarray(-PARQUET_END.length)]).subarray(
        -PARQUET_END.length,
      );
      let kept: Uint8Array = chunk;
      if (!isHeaderRead) {
        skipped = Buffer.concat([skipped, chunk]);
        if (scanner?.scan.rows === 0) continue;
        const end = scanner?.scan.firstEnd ?? 0;
        if (skipped.subarray(0, end).toString() !== written.header)
          throw new ColumnsChanged(
            "the columns are not those of the file: the collection has other traits now. Export it anew.",
          );
        isHeaderRead = true;
        kept = skipped.subarray(end);
      }
      bytes += kept.length;
      if (kept.length > 0) yield kept;
      onProgress(progress());
    }
    // Between two programs that speak HTTP/1.0, a connection that was cut ends as any other.
    const isWhole = scanner ? scanner.scan.lastEnd === received : lastBytes.equals(PARQUET_END);
    if (!isWhole) throw new Error(`it ended within ${scanner ? "a row" : "the file"}`);
  }
  const target = file === undefined ? process.stdout : await openAt(file, written.end);
  try {
    await pipeline(Readable.fromWeb(body), counted, target, { signal, end: file !== undefined });
  } catch (error) {
    // The reader of stdout has enough.
    if (file === undefined && (error as NodeJS.ErrnoException).code === "EPIPE") return progress();
    if (file !== undefined && format === "parquet") await rm(file, { force: true });
    throw error;
  }
  return progress();
}

/** The file without what is behind `end`. */
async function openAt(file: string, end: number): Promise<Writable> {
  const handle = await open(file, existsSync(file) ? "r+" : "wx");
  await handle.truncate(end);
  return handle.createWriteStream({ start: end });
}
