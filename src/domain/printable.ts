/**
 * Makes a foreign text safe to print on one line: removes controls, also of writing direction, and characters that no
 * font shows.
 */

/** Controls, those of writing direction, and those that no font shows. */
export const INVISIBLE = /[\p{Cc}\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]+/gu;

// Of what a request sent, short enough to repeat in its answer.
const REPEATED_CHARACTERS = 80;

/** At most `max` characters, none of them cut in half; by default as many as an answer repeats of a request. */
export const clip = (text: string, max: number = REPEATED_CHARACTERS): string =>
  text.length > max
    ? `${text
        .slice(0, max)
        .toWellFormed()
        .replace(/\ufffd$/, "")}…`
    : text;

/** One line of at most `max` characters, without controls; empty where nothing can be read. */
export const printable = (text: string, max: number): string =>
  clip(text.toWellFormed().replace(INVISIBLE, " ").trim(), max);
