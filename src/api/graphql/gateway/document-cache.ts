/** A small LRU cache of results that depend on a text alone. */

import { LRUCache } from "lru-cache";

// Clients repeat a handful of texts; longer ones are sent once.
const ENTRIES_MAX = 500;
const TEXT_CHARACTERS_MAX = 10_000;

// A parsed query takes up to 250 times the memory of its text (measured: 0.5 MB for 2 kB of short tokens), and
// anyone may send 500 different ones. This holds the cache to about 50 MB.
const ALL_CHARACTERS_MAX = 200_000;

/**
 * Wraps `prepare` so that a text in use is prepared once. Keeps at most 500 results, whose texts hold at most
 * 200 000 characters; never the result of a text over 10 000 characters, nor one that `isLasting` denies.
 */
export function cacheByText<Result extends NonNullable<unknown>>(
  prepare: (text: string) => Result,
  isLasting: (result: Result) => boolean,
): (text: string) => Result {
  const results = new LRUCache<string, Result>({
    max: ENTRIES_MAX,
    maxSize: ALL_CHARACTERS_MAX,
    maxEntrySize: TEXT_CHARACTERS_MAX,
    sizeCalculation: (_result, text) => Math.max(1, text.length),
  });
  return (text) => {
    const known = results.get(text);
    if (known !== undefined) return known;
    const result = prepare(text);
    if (isLasting(result)) results.set(text, result);
    return result;
  };
}
