/**
 * The unnamed file that carries images to a decoder and pictures back. Pipes would cost the service a garbage
 * collection for every twenty images, since it can only read them in small pieces.
 */

import { randomUUID } from "node:crypto";
import { closeSync, openSync, read, readSync, unlinkSync, write, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { PICTURE_BYTES_MAX, VARIANTS_BYTES_MAX } from "../checks/limits.ts";

/** Its file descriptor in the decoder. */
const EXCHANGE_FD = 4;

export interface ScratchFile {
  readonly fd: number;
  /** All run in call order, and reject on a disk error, such as a full disk. */
  put(place: number, body: Buffer): Promise<void>;
  take(place: number, bytes: number): Promise<Buffer>;
  /** The variants of these sizes, in order. */
  takeVariants(place: number, sizes: readonly number[]): Promise<Buffer[]>;
  /** Resolves when all earlier calls have finished. */
  close(): Promise<void>;
}

const readAt = promisify(read);
const writeAt = promisify(write);

/** Where the variants start in a place, behind the largest picture. */
const VARIANTS_AT = PICTURE_BYTES_MAX;
// A picture overwrites its image, and PICTURE_BYTES_MAX exceeds any image.
const start = (place: number): number => place * (PICTURE_BYTES_MAX + VARIANTS_BYTES_MAX);

const checkWhole = (count: number, of: Buffer): void => {
  if (count !== of.length) throw new Error(`${count} of ${of.length} bytes could be exchanged`);
};

export function openScratchFile(): ScratchFile {
  const path = join(tmpdir(), `vitrine-${randomUUID()}`);
  const fd = openSync(path, "wx+", 0o600);
  unlinkSync(path);
  let last: Promise<unknown> = Promise.resolve();
  const runSerially = <T>(act: () => Promise<T>): Promise<T> => {
    const result = last.then(act);
    last = result.catch(() => {});
    return result;
  };
  const takeAt = async (at: number, bytes: number): Promise<Buffer> => {
    const content = Buffer.allocUnsafeSlow(bytes);
    const { bytesRead } = await readAt(fd, content, 0, bytes, at);
    checkWhole(bytesRead, content);
    return content;
  };
  return {
    fd,
    put: (place, body) =>
      runSerially(async () => {
        const { bytesWritten } = await writeAt(fd, body, 0, body.length, start(place));
        checkWhole(bytesWritten, body);
      }),
    take: (place, bytes) => runSerially(() => takeAt(start(place), bytes)),
    takeVariants: (place, sizes) =>
      runSerially(async () => {
        const variants: Buffer[] = [];
        let at = start(place) + VARIANTS_AT;
        for (const bytes of sizes) {
          variants.push(await takeAt(at, bytes));
          at += bytes;
        }
        return variants;
      }),
    close: () => runSerially(async () => closeSync(fd)),
  };
}

/** For the decoder, into a buffer that it reuses. */
export function readImage(place: number, into: Buffer): void {
  checkWhole(readSync(EXCHANGE_FD, into, 0, into.length, start(place)), into);
}

export function writePicture(place: number, picture: Buffer): void {
  writeWhole(picture, start(place));
}

/** Behind the picture; together at most VARIANTS_BYTES_MAX. */
export function writeVariants(place: number, variants: readonly Buffer[]): void {
  let at = start(place) + VARIANTS_AT;
  for (const variant of variants) {
    writeWhole(variant, at);
    at += variant.length;
  }
}

const writeWhole = (content: Buffer, at: number): void =>
  checkWhole(writeSync(EXCHANGE_FD, content, 0, content.length, at), content);
