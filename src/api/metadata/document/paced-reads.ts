/**
 * Large documents are read one at a time: reading one may hold the event loop for a quarter of a second, and for a second
 * where all keys have escapes.
 */

import { setTimeout as wait } from "node:timers/promises";
import { createConcurrencyLimit } from "../../async/concurrency.ts";
import { processWide } from "../../process-wide.ts";

export const LARGE_BYTES = 128 * 1024;

const oneAtATime = processWide("large documents", () => createConcurrencyLimit(1));

/**
 * Calls `read`, which reads a document of so many bytes: at once, or if the document is large, in its turn among all of the
 * process. After each the next waits as long as it took, so that other requests have half of the event loop. Rejects with the
 * signal's reason if it is aborted before the document's turn.
 */
export async function readPaced<Result>(
  bytes: number,
  read: () => Result,
  signal?: AbortSignal,
): Promise<Result> {
  if (bytes <= LARGE_BYTES) return read();
  return new Promise((resolve, reject) => {
    const paced = oneAtATime(async () => {
      const startedAt = performance.now();
      try {
        resolve(read());
      } catch (error) {
        reject(error);
      }
      await wait(performance.now() - startedAt, undefined, { ref: false });
    }, signal);
    paced.catch(reject);
  });
}
