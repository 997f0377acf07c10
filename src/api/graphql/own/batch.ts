/** Reads that many fields of an answer want at once, made as one. */

import DataLoader from "dataloader";

/**
 * What `load` tells of a key, undefined where it tells nothing. Keys that are asked for in the same turn of the event
 * loop are loaded together, each once; a later turn asks anew.
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

/** Makes a value for a key once, and keeps it as long as the function is kept. */
export function keepByKey<Value>(make: (key: string) => Value): (key: string) => Value {
  const made = new Map<string, Value>();
  return (key) => {
    const kept = made.get(key) ?? make(key);
    made.set(key, kept);
    return kept;
  };
}
