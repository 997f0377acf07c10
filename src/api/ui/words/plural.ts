/** Texts whose form depends on a number. */

/** A number and how it is shown. */
export interface Counted {
  readonly count: number;
  readonly text: string;
}

/** `text` is the number as it is shown. */
export const many = (count: number, one: string, more: string, text = String(count)): string =>
  `${text} ${count === 1 ? one : more}`;
