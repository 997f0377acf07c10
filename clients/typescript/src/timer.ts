/** Timers of any length. */

// A timer that is longer runs out at once.
const LONGEST_MS = 2 ** 31 - 1;

/** Like `setTimeout`; what is longer than a timer can be, 24.8 days, takes as long as that. */
export const startTimer = (run: () => void, ms: number): ReturnType<typeof setTimeout> =>
  setTimeout(run, Math.min(ms, LONGEST_MS));

/** Rejects with the signal's reason as soon as it is aborted. */
export function sleep(ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal?.throwIfAborted();
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal?.reason);
    };
    const timer = startTimer(() => {
      signal?.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal?.addEventListener("abort", abort, { once: true });
  });
}
