/** Counted things in English. */

/** A number and its noun; `text` is the formatted number. */
export const many = (count: number, one: string, more: string, text = String(count)): string =>
  `${text} ${count === 1 ? one : more}`;
