/** A small cache of what was worked out from texts: the one least recently used makes room. */

// Clients send a handful of texts over and over; longer ones are written by hand or by a machine, once.
const ENTRIES_MAX = 500;
const TEXT_CHARACTERS_MAX = 10_000;

// A parsed query takes up to 250 times the memory of its text (measured: 0.5 MB for 2 kB of short tokens), and
// anyone may send 500 different ones. This holds the cache to about 50 MB.
const ALL_CHARACTERS_MAX = 200_000;

/**
 * Wraps `prepare` so that a text in use is prepared once. Keeps at most 500 results, whose texts hold at most
 * 200 000 characters; never the result of a text over 10 000 characters, nor one that `isLasting` denies.
 */
export function cacheByText<Result>(
  prepare: (text: string) => Result,
  isLasting: (result: Result) => boolean,
): (text: string) => Result {
  const results = new Map<string, Result>();
  let characters = 0;

  const forget = (text: string): void => {
    if (results.delete(text)) characters -= text.length;
  };

  return (text) => {
    const result = results.get(text) ?? prepare(text);
    if (text.length > TEXT_CHARACTERS_MAX || !isLasting(result)) return result;
    // A Map iterates in order of insertion: the entry used last goes to the end, the first is the oldest.
    forget(text);
    results.set(text, result);
    characters += text.length;
    for (const oldest of results.keys()) {
      if (results.size <= ENTRIES_MAX && characters <= ALL_CHARACTERS_MAX) break;
      forget(oldest);
    }
    return result;
  };
}
