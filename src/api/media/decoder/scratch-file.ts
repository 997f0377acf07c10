/**
 * The file without a name in which a decoder finds its images and leaves its pictures. Through pipes they cost the
 * service a collection of garbage for every twenty images, since it can only read those in small pieces.
 */

import { randomUUID } from "node:crypto";
import { closeSync, openSync, read, readSync, unlinkSync, write, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { PICTURE_BYTES_MAX } from "../checks/limits.ts";

/** Its number in the decoder. */
export const EXCHANGE_FD = 4;

export interface ScratchFile {
  readonly fd: number;
  /** What is done is done in the order of the calls. Both reject when the disk does not have it, as when it is full. */
  put(place: number, body: Buffer): Promise<void>;
  take(place: number, bytes: number): Promise<Buffer>;
  /** Resolves when all that was asked for is done. */
  close(): Promise<void>;
}

const readAt = promisify(read);
const writeAt = promisify(write);

// A picture lies where its image was, and no image is as large as a picture may be.
const start = (place: number): number => place * PICTURE_BYTES_MAX;

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
  return {
    fd,
    put: (place, body) =>
      runSerially(async () => {
        const { bytesWritten } = await writeAt(fd, body, 0, body.length, start(place));
        checkWhole(bytesWritten, body);
      }),
    take: (place, bytes) =>
      runSerially(async () => {
        const picture = Buffer.allocUnsafeSlow(bytes);
        const { bytesRead } = await readAt(fd, picture, 0, bytes, start(place));
        checkWhole(bytesRead, picture);
        return picture;
      }),
    close: () => runSerially(async () => closeSync(fd)),
  };
}

/** For the decoder, into memory that it uses again and again. */
export function readImage(place: number, into: Buffer): void {
  checkWhole(readSync(EXCHANGE_FD, into, 0, into.length, start(place)), into);
}

export function writePicture(place: number, picture: Buffer): void {
  checkWhole(writeSync(EXCHANGE_FD, picture, 0, picture.length, start(place)), picture);
}
