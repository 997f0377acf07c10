/** Reads many keys together that callers ask for one by one. Keys are compared as a Map does. */

import DataLoader from "dataloader";

export interface BatchOptions {
  /** Keys of one load; more are loaded beside or after it. */
  readonly max?: number;
  /** Loads at once. Keys that are asked for meanwhile wait for the next one, which then loads more of them together. */
  readonly atOnce?: number;
  /** Milliseconds that keys wait for a load that runs before one begins beside it; at once by default. */
  readonly besideAfterMs?: number;
}

/**
 * The value of a key in what `load` returns, or undefined. Keys that are asked for in the same turn of the event loop, or
 * while `atOnce` loads are running (or for `besideAfterMs` while fewer are), are loaded together, each once. A load
 * begins after all its keys were asked for, so no caller gets a value read before it asked. Its failure reaches all who
 * wait for it.
 */
export function createBatch<Value, Key = string>(
  load: (keys: readonly Key[]) => Promise<ReadonlyMap<Key, Value>>,
  { max = Number.POSITIVE_INFINITY, atOnce = Number.POSITIVE_INFINITY, besideAfterMs = 0 }: BatchOptions = {},
): (key: Key) => Promise<Value | undefined> {
  const waiting: (() => void)[] = [];
  let running = 0;
  let patience: NodeJS.Timeout | undefined;

  function beginBeside(): void {
    patience = undefined;
    const next = running < atOnce ? waiting.shift() : undefined;
    if (!next) return;
    running++;
    next();
    wait();
  }

  function wait(): void {
    if (besideAfterMs > 0 && waiting.length > 0 && running < atOnce)
      patience ??= setTimeout(beginBeside, besideAfterMs);
  }

  function schedule(dispatch: () => void): void {
    if (running >= atOnce || (running > 0 && besideAfterMs > 0)) {
      waiting.push(dispatch);
      wait();
      return;
    }
    running++;
    // Keys that are asked for by other requests and promises of the same turn join.
    setImmediate(dispatch);
  }

  function finished(): void {
    clearTimeout(patience);
    patience = undefined;
    const next = waiting.shift();
    if (next) next();
    else running--;
    wait();
  }

  const loader = new DataLoader<Key, Value | undefined>(
    async (keys) => {
      try {
        const values = await load([...new Set(keys)]);
        return keys.map((key) => values.get(key));
      } finally {
        finished();
      }
    },
    { cache: false, maxBatchSize: max, batchScheduleFn: schedule },
  );
  return (key) => loader.load(key);
}
