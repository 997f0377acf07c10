/** Batches reads that many fields of one answer need. */

import DataLoader from "dataloader";

/**
 * The value of a key in what `load` returns, or undefined. Keys that are asked for in the same turn of the event loop are
 * loaded together, each once; a later turn loads again.
 */
export function createBatch<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  const loader = new DataLoader<string, Value | undefined>(
    async (keys) => {
      loader.clearAll();
      const values = await load(keys);
      return keys.map((key) => values.get(key));
    },
    // Fields that wait for other promises of the same turn join.
    { batchScheduleFn: setImmediate },
  );
  return (key) => loader.load(key);
}

/** Creates the value of a key once in the lifetime of the returned function. */
export function keepByKey<Value>(make: (key: string) => Value): (key: string) => Value {
  const made = new Map<string, Value>();
  return (key) => {
    const kept = made.get(key) ?? make(key);
    made.set(key, kept);
    return kept;
  };
}
