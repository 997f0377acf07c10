/** Reads that many fields of an answer want at once, made as one. */

/**
 * What `load` tells of a key, undefined where it tells nothing. Keys that are asked for in the same turn of the event
 * loop are loaded together, each once; a later turn asks anew.
 */
export function createBatch<Value>(
  load: (keys: readonly string[]) => Promise<ReadonlyMap<string, Value>>,
): (key: string) => Promise<Value | undefined> {
  let open: { readonly keys: Set<string>; readonly loaded: Promise<ReadonlyMap<string, Value>> } | undefined;

  function start() {
    const keys = new Set<string>();
    const turn = new Promise<void>((resolve) => setImmediate(resolve));
    const loaded = turn.then(() => {
      open = undefined;
      return load([...keys]);
    });
    return { keys, loaded };
  }

  return async (key) => {
    open ??= start();
    open.keys.add(key);
    return (await open.loaded).get(key);
  };
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
