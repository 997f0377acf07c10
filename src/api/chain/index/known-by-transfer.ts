/**
 * Whether the chain index knows a token by a transfer: what makes it listed. The one place that says so in SQL. A row of
 * `token_state` alone does not: a lock may name a token that no transfer has told of. A token of a range needs no row.
 */

import type { ChainTables } from "./tables.ts";
import { isInRange, type TokenKey } from "./token-state.ts";

/** SQL: a transfer of the token is indexed. Burned tokens are known too. The key must not name a table `known_token`. */
export const knownByTransfer = (tables: ChainTables, token: TokenKey): string => `
  (exists (select from ${tables.tokenState} known_token
            where known_token.chain_id = ${token.chainId} and known_token.collection_address = ${token.collection}
              and known_token.token_id = ${token.tokenId} and known_token.standard is not null)
   or ${isInRange(tables, token)})`;

/** The key of a row of `vitrine.token`, or of another table with its columns. */
export const keyOf = (alias: string): TokenKey => ({
  chainId: `${alias}.chain_id`,
  collection: `${alias}.collection`,
  tokenId: `${alias}.token_id`,
});
