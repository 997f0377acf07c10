// What comes before the point and after it have no digit in common: a text of many digits is read once.
const NUMBER = /^[+-]?(\d+(\.\d*)?|\.\d+)(e[+-]?\d{1,3})?$/i;

/** The number that a text is, in decimal notation; undefined for any other text, and for numbers beyond a double's. */
export function parseNumber(text: string): number | undefined {
  const number = NUMBER.test(text) ? Number(text) : Number.NaN;
  return Number.isFinite(number) ? number : undefined;
}
