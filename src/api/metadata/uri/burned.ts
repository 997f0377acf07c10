/** Messages about burned tokens, whose metadata is no longer read. */

/** Starts with its code, as every reason does. */
export const burnedReason = (block: number | string): string => `burned: ${burnedIn(block)}`;

/** The message behind the code. */
export const burnedIn = (block: number | string): string => `in block ${block}`;
