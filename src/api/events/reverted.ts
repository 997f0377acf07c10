/**
 * Published lock events that are gone. After a reorg Ponder first removes rows under the old head, and moves the head
 * only with the next block. In between the index looks settled but is not.
 */

import type { ChainTables } from "../chain/index/tables.ts";

/** SQL: the stream's type for the index's lock event `l`. */
export const typeOfLock = "case when l.token_id is null then 'default_lock' else l.direction end";

/**
 * SQL: event `e` of the stream was published for the index's lock event `l`. Events published before there were other
 * standards name none, and contain the index's own count.
 */
export const isSame = `l.id = e.source
  and (l.transaction_hash, l.collection_address, l.standard) = (e.transaction_hash, e.collection, coalesce(e.standard, 'erc721x'))
  and (l.token_id, ${typeOfLock}, l.approved_contract, l.count_after)
    is not distinct from (e.token_id, e.type, e.approved_contract, coalesce(e.count_after, e.lock_count))`;

/**
 * SQL: a published lock event of token `t`, or of its collection's default, is gone from the index, and no block has
 * come since. `t` has chain_id, collection_address and token_id; `c` is the chain's row of Ponder's checkpoints.
 */
export const isReverted = (tables: ChainTables): string => `exists (
  select from vitrine.event e
   where e.chain_id = t.chain_id and e.collection = t.collection_address and (e.token_id = t.token_id or e.token_id is null)
     and (e.open or e.gone_at is not null)
     and (e.gone_at >= c.latest_checkpoint
          or (e.open and not exists (select from ${tables.lockEvent} l where ${isSame}))))`;
