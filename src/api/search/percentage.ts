/** The one rule for the percentages of traits, wherever they are shown. */

/**
 * The share of a collection's listed tokens, 0 to 100; 0 if none is listed. Filters change the count and not the base,
 * so that a value keeps its percentage from a token's own answer.
 */
export const percentageOf = (count: number, listed: number): number =>
  listed === 0 ? 0 : (count / listed) * 100;
