/**
 * Splits long work into slices, so that the event loop serves other requests in between. This is half of what a request
 * may wait, since the last step of a slice may take long.
 */

// Half of what a request may wait for it, since the last step of a slice may take long.
const SLICE_MS = 10;

/** Must be awaited between steps of a few milliseconds: yields to other work at the end of each slice. */
export type YieldToEventLoop = () => Promise<void>;

export function createYield(sliceMs = SLICE_MS): YieldToEventLoop {
  let startedAt = performance.now();
  return async () => {
    if (performance.now() - startedAt < sliceMs) return;
    await new Promise((resolve) => setImmediate(resolve));
    startedAt = performance.now();
  };
}

let last: Promise<unknown> = Promise.resolve();

/**
 * Runs such work one at a time, each beginning in its own turn of the event loop, so that other work runs in between.
 */
export function runExclusive<Result>(work: () => Result | Promise<Result>): Promise<Result> {
  const mine = last.then(() => new Promise((resolve) => setImmediate(resolve))).then(work);
  last = mine.catch(() => undefined);
  return mine;
}
