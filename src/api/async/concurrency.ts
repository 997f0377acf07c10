/** Limits how much runs at once; the rest queues. */

/** Callers with the same `party` share a queue; without one, all do. */
export type ConcurrencyLimit = <Result>(
  work: () => Promise<Result>,
  signal?: AbortSignal,
  party?: string,
) => Promise<Result>;

/**
 * Runs at most `max` tasks at once. Parties take turns, and the tasks of each run first come, first served. A task whose
 * signal is aborted before its turn never starts: it leaves the queue, and is rejected with the signal's reason.
 */
export function createConcurrencyLimit(max: number): ConcurrencyLimit {
  const queues = new Map<string, (() => void)[]>();
  let running = 0;

  const turn = (party: string, signal?: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const queue = queues.get(party) ?? [];
      const start = (): void => {
        signal?.removeEventListener("abort", leave);
        resolve();
      };
      const leave = (): void => {
        queue.splice(queue.indexOf(start), 1);
        if (queue.length === 0) queues.delete(party);
        reject(signal?.reason);
      };
      queue.push(start);
      queues.set(party, queue);
      signal?.addEventListener("abort", leave, { once: true });
    });

  /** The first task of the party whose turn it is, which then goes to the end. */
  function takeNext(): (() => void) | undefined {
    const [first] = queues;
    if (!first) return undefined;
    const [party, queue] = first;
    const next = queue.shift();
    queues.delete(party);
    if (queue.length > 0) queues.set(party, queue);
    return next;
  }

  return async (work, signal, party = "") => {
    signal?.throwIfAborted();
    // A task that ends passes its slot to the next in turn, so that no newcomer overtakes it.
    if (running === max) await turn(party, signal);
    else running++;
    try {
      // It may have been aborted after the slot was passed to it.
      signal?.throwIfAborted();
      return await work();
    } finally {
      const next = takeNext();
      if (next) next();
      else running--;
    }
  };
}
