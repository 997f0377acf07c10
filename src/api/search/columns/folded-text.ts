/**
 * How texts are compared and searched: lower-cased in NFC, by code point (design: "Alphabetical"). Of long texts the
 * beginning counts.
 */

/** Characters of a name or a description that are ordered and searched by. */
export const FOLDED_CHARACTERS_MAX = 1_000;

export const folded = (text: string): string => text.normalize("NFC").toLowerCase();

/** UTF-8, whose order of bytes is the order of code points. */
export const foldedBytes = (text: string): Buffer => Buffer.from(folded(text));
