/**
 * Whether the chain index knows a token by a transfer, which makes it listed; the only SQL for that. A row of
 * `token_state` is not enough: a lock may name a token without transfers. A ranged token needs no row.
 */

import type { ChainTables } from "./tables.ts";
import { isInRange, type TokenKey } from "./token-state.ts";

// Not "exists": for that, PostgreSQL may first read the whole collection into a hash table, even for a single token.
/**
 * SQL: a transfer of the token is indexed. Burned tokens count. The key must not refer to a table `known_token`. The key
 * must be columns of a row, as those of `keysOf` are.
 */
export const knownByTransfer = (tables: ChainTables, token: TokenKey): string => `
  (coalesce((select known_token.standard is not null from ${tables.tokenState} known_token
              where known_token.chain_id = ${token.chainId} and known_token.collection_address = ${token.collection}
                and known_token.token_id = ${token.tokenId}), false)
   or ${isInRange(tables, token)})`;

/** The key of a `vitrine.token` row, or of another table with its columns. */
export const tokenColumns = (alias: string): TokenKey => ({
  chainId: `${alias}.chain_id`,
  collection: `${alias}.collection`,
  tokenId: `${alias}.token_id`,
});
