/** Long work in slices, so that the event loop serves others in between. */

// Half of what a request may wait for it, since the last step of a slice may take long.
const SLICE_MS = 10;

/** To be awaited between steps of a few milliseconds: lets others run when a slice is over. */
export type YieldToEventLoop = () => Promise<void>;

export function createYield(): YieldToEventLoop {
  let startedAt = performance.now();
  return async () => {
    if (performance.now() - startedAt < SLICE_MS) return;
    await new Promise((resolve) => setImmediate(resolve));
    startedAt = performance.now();
  };
}

let last: Promise<unknown> = Promise.resolve();

/** Work that is not sliced, one at a time and each in a turn of its own, so that others run in between. */
export function runExclusive<Result>(work: () => Result): Promise<Result> {
  const mine = last.then(() => new Promise((resolve) => setImmediate(resolve))).then(work);
  last = mine.catch(() => undefined);
  return mine;
}
