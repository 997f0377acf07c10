/** Removes deleted tokens from the queue, in PostgreSQL. */

import type { CollectionRef } from "../../../domain/token-ref.ts";
import type { Queryable } from "../../db/database.ts";

const REASON = "the chain index has no transfer of the token";

/** Locks the tokens' rows, in the same order as requests and workers. */
export async function lockQueued(
  tx: Queryable,
  { chainId, collection }: CollectionRef,
  tokenIds: readonly string[],
): Promise<void> {
  await tx.query(
    `select from vitrine.refresh where chain_id = $1 and collection = $2 and token_id = any($3::numeric[])
      order by token_id::text collate "C" for update`,
    [chainId, collection, tokenIds],
  );
}

/**
 * Removes the tokens from the queue and answers the receipts that wait for them. Their rows must be locked. The rows go first:
 * a request that is committed between the two statements is answered, or stays queued.
 */
export async function dropQueued(
  tx: Queryable,
  { chainId, collection }: CollectionRef,
  tokenIds: readonly string[],
): Promise<void> {
  if (tokenIds.length === 0) return;
  const dropped = await tx.query<{ tokenId: string }>(
    `delete from vitrine.refresh where chain_id = $1 and collection = $2 and token_id = any($3::numeric[])
     returning token_id as "tokenId"`,
    [chainId, collection, tokenIds],
  );
  await tx.query(
    `update vitrine.receipt_token set status = 'not_found', reason = $4
      where chain_id = $1 and collection = $2 and token_id = any($3::numeric[]) and status is null`,
    [chainId, collection, dropped.map(({ tokenId }) => tokenId), REASON],
  );
}
