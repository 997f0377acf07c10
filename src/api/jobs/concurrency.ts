/** Limits how much runs at once; the rest queues. */

export type ConcurrencyLimit = <Result>(work: () => Promise<Result>, signal?: AbortSignal) => Promise<Result>;

/**
 * Runs at most `max` tasks at once, first come, first served. A task whose signal is aborted before its turn never starts:
 * it leaves the queue, and is rejected with the signal's reason.
 */
export function createConcurrencyLimit(max: number): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let running = 0;

  const turn = (signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const start = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        waiting.splice(waiting.indexOf(start), 1);
        reject(signal?.reason);
      };
      waiting.push(start);
      signal?.addEventListener("abort", leave, { once: true });
    });

  return async (work, signal) => {
    signal?.throwIfAborted();
    // A task that ends passes its slot to the first in the queue, so that no newcomer overtakes it.
    if (running === max) await turn(signal);
    else running++;
    try {
      // It may have been aborted after the slot was passed to it.
      signal?.throwIfAborted();
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
