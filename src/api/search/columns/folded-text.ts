/**
 * Folds text for comparison and search: NFC, lower case of each character, by code point. Only the start of a long text
 * counts.
 */

/** The number of leading characters of a name or description used for sorting and search. */
export const FOLDED_CHARACTERS_MAX = 1_000;

/** The characters of a text that count, as `left` of PostgreSQL counts them. */
export const firstCharacters = (text: string): string =>
  text.length <= FOLDED_CHARACTERS_MAX
    ? text
    : // A character is two UTF-16 units at most.
      [...text.slice(0, 2 * FOLDED_CHARACTERS_MAX)].slice(0, FOLDED_CHARACTERS_MAX).join("");

/**
 * Each character by itself: JavaScript's lower case of a capital sigma depends on what follows, so a text would not
 * contain its own parts. As in Unicode's case folding, the final sigma is a sigma.
 */
export const folded = (text: string): string => lowered(text.normalize("NFC"));

const lowered = (text: string): string => text.toLowerCase().replaceAll("ς", "σ");

/** UTF-8: its byte order is the code point order. */
export const foldedBytes = (text: string): Buffer => Buffer.from(folded(text));

// NFC takes time with the square of a run of marks. No language writes so many on one letter (UAX #15, "Stream-Safe").
const TOO_MANY_MARKS = /\p{M}{31}/u;

function nameKey(name: string): Buffer {
  const start = firstCharacters(name);
  return TOO_MANY_MARKS.test(start) ? Buffer.from(lowered(start)) : foldedBytes(start);
}

/**
 * In the alphabetical order of names: by their folded starts, then by the names themselves, by code point. Folds each
 * name once, since strangers choose them: a token may have a thousand, of any length.
 */
export function sortByName<Item>(items: readonly Item[], textOf: (item: Item) => string): Item[] {
  return items
    .map((item) => ({ item, name: textOf(item), key: nameKey(textOf(item)) }))
    .sort((a, b) => Buffer.compare(a.key, b.key) || Buffer.compare(Buffer.from(a.name), Buffer.from(b.name)))
    .map(({ item }) => item);
}
