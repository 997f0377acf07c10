/**
 * Whether the chain index knows a token by a transfer, which makes it listed; the only SQL for that. A row of
 * `token_state` is not enough: a lock may name a token without transfers. A ranged token needs no row.
 */

import type { ChainTables } from "./tables.ts";
import { isInRange, mintRange, type TokenKey } from "./token-state.ts";
import { inChainOrder, transferKind, transferKinds } from "./transfer-kind.ts";

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

/** SQL: the block of the token's first transfer; null without one. One read for each kind, however many it has. */
export function firstTransferBlock(tables: ChainTables, token: TokenKey): string {
  const firsts = transferKinds.map(
    (kind) => `
    (select first_one.block_number from ${tables.tokenTransfer} first_one
      where first_one.chain_id = ${token.chainId} and first_one.collection_address = ${token.collection}
        and first_one.token_id = ${token.tokenId} and first_one.last_token_id is null
        and ${transferKind("first_one")} = '${kind}'
      order by ${inChainOrder("first_one.id")} limit 1)`,
  );
  return `least(${firsts.join(", ")}, (select r.minted_block from ${mintRange(tables, token)} r))`;
}

/** The key of a `vitrine.token` row, or of another table with its columns. */
export const tokenColumns = (alias: string): TokenKey => ({
  chainId: `${alias}.chain_id`,
  collection: `${alias}.collection`,
  tokenId: `${alias}.token_id`,
});
