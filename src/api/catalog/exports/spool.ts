/** A file between one writer and one reader: the writer never waits for the reader, and memory holds neither's bytes. */

import { randomUUID } from "node:crypto";
import { type FileHandle, open, unlink } from "node:fs/promises";
import { join } from "node:path";
import { makeFolder } from "../../data-folder.ts";

const CHUNK_BYTES = 64 * 1024;

export interface Spool {
  /** The descriptor of the file, for its one writer, which may be another thread of this process. */
  readonly fd: number;
  /** The file has so many bytes now. */
  grow(bytes: number): void;
  /** Aborts once the reader is gone. */
  readonly left: AbortSignal;
  /** Ends the file, or with an error cuts the reader off. The writer must be done. Never rejects. */
  end(error?: Error): Promise<void>;
  /** What was written, from the beginning, as it grows. May be called once. */
  read(): ReadableStream<Uint8Array>;
  /** In place of `read`: nobody will. */
  discard(): void;
}

/**
 * `stallMs`: how long the reader may take nothing though there is something; then `onStall` is called, and it is gone.
 * `onClose` is called once both sides are done.
 */
export async function openSpool(
  folder: string,
  { stallMs, onStall, onClose }: { stallMs: number; onStall: () => void; onClose: () => void },
): Promise<Spool> {
  await makeFolder(folder);
  const path = join(folder, `export-${randomUUID()}`);
  const file: FileHandle = await open(path, "wx+", 0o600);
  // Unnamed, it is gone with the process, however that ends.
  await unlink(path);

  let [written, taken] = [0, 0];
  let isEnded = false;
  const left = new AbortController();
  let failure: Error | undefined;
  let wake = (): void => undefined;
  let stall: NodeJS.Timeout | undefined;
  let isClosed = false;

  const closeIfDone = async (): Promise<void> => {
    if (!isEnded || !left.signal.aborted || isClosed) return;
    isClosed = true;
    await file.close().catch(() => undefined);
    onClose();
  };
  const leave = (): Promise<void> => {
    clearTimeout(stall);
    left.abort();
    return closeIfDone();
  };

  /** Cuts the reader off unless it asks for more in time. */
  const expectPull = (controller: ReadableStreamDefaultController<Uint8Array>): void => {
    stall = setTimeout(() => {
      controller.error(new Error(`the client took nothing for ${stallMs / 1_000} s`));
      onStall();
      void leave();
    }, stallMs);
  };

  const source = {
    start: (controller: ReadableStreamDefaultController<Uint8Array>) => expectPull(controller),
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      clearTimeout(stall);
      while (taken === written && !isEnded) {
        await new Promise<void>((resolve) => {
          wake = resolve;
        });
      }
      if (left.signal.aborted) return;
      if (failure) {
        controller.error(failure);
        return leave();
      }
      if (taken === written) {
        controller.close();
        return leave();
      }
      const buffer = new Uint8Array(Math.min(CHUNK_BYTES, written - taken));
      try {
        const { bytesRead } = await file.read(buffer, 0, buffer.length, taken);
        taken += bytesRead;
        controller.enqueue(buffer.subarray(0, bytesRead));
      } catch (error) {
        controller.error(error);
        return leave();
      }
      expectPull(controller);
    },
    cancel: leave,
  };

  return {
    fd: file.fd,
    left: left.signal,
    read: () => new ReadableStream<Uint8Array>(source, { highWaterMark: 0 }),
    discard: () => void leave(),
    grow(bytes) {
      written = bytes;
      wake();
    },
    end(error) {
      failure = error;
      isEnded = true;
      wake();
      return closeIfDone();
    },
  };
}
