/** Limits how much runs at once; the rest queues. */

export type ConcurrencyLimit = <Result>(work: () => Promise<Result>) => Promise<Result>;

/** Runs at most `max` tasks at once, first come, first served. */
export function createConcurrencyLimit(max: number): ConcurrencyLimit {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async (work) => {
    // A task that ends passes its slot to the first in the queue, so that no newcomer overtakes it.
    if (running === max) await new Promise<void>((start) => waiting.push(start));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next) next();
      else running--;
    }
  };
}
