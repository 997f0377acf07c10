/**
 * Folds text for comparison and search: NFC, lower case, by code point (design: "Alphabetical"). Only the start of a
 * long text counts.
 */

/** The number of leading characters of a name or description used for sorting and search. */
export const FOLDED_CHARACTERS_MAX = 1_000;

/** The characters of a text that count, as `left` of PostgreSQL counts them. */
export const firstCharacters = (text: string): string =>
  text.length <= FOLDED_CHARACTERS_MAX ? text : [...text].slice(0, FOLDED_CHARACTERS_MAX).join("");

export const folded = (text: string): string => text.normalize("NFC").toLowerCase();

/** UTF-8: its byte order is the code point order. */
export const foldedBytes = (text: string): Buffer => Buffer.from(folded(text));
