/**
 * Whether the chain index knows a token by a transfer: what makes it listed. The one place that says so in SQL. A row of
 * `token_state` alone does not: a lock may name a token that no transfer has told of.
 */

import type { ChainTables } from "./tables.ts";

/** SQL expressions for a token's key. They must not name a table `known_token`. */
interface TokenKey {
  readonly chainId: string;
  readonly collection: string;
  readonly tokenId: string;
}

/** SQL: a transfer of the token is indexed. Burned tokens are known too. */
export const knownByTransfer = (
  { tokenState }: ChainTables,
  { chainId, collection, tokenId }: TokenKey,
): string => `
  exists (select from ${tokenState} known_token
           where known_token.chain_id = ${chainId} and known_token.collection_address = ${collection}
             and known_token.token_id = ${tokenId} and known_token.standard is not null)`;

/** The key of a row of `vitrine.token`, or of another table with its columns. */
export const keyOf = (alias: string): TokenKey => ({
  chainId: `${alias}.chain_id`,
  collection: `${alias}.collection`,
  tokenId: `${alias}.token_id`,
});
