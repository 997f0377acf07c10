/** Texts whose form depends on a number. */

/** `text` is the number as it is shown. */
export const many = (count: number, one: string, more: string, text = String(count)): string =>
  `${text} ${count === 1 ? one : more}`;
