/** How many tokens of a conflicting type are counted: one collection's must not hold up the list of all. */
export const COUNTED_MAX = 1_000;
