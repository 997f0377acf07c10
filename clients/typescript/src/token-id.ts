/** A token id, up to 2^256-1. A `number` is refused: above 2^53 it would name another token. */
export type TokenId = bigint | string;

/** The decimal text that the service takes and gives. Throws a TypeError unless `id` is a bigint or a string. */
export function tokenIdText(id: TokenId): string {
  if (typeof id !== "bigint" && typeof id !== "string")
    throw new TypeError(`token id ${String(id)} is a ${typeof id}; pass a bigint or a decimal string`);
  return String(id);
}
