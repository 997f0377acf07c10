/**
 * Published lock events that are gone. After a reorg Ponder first removes rows under the old head, and moves the head
 * only with the next block. In between the index looks settled but is not.
 */

import type { ChainTables } from "../chain/index/tables.ts";
import { inChainOrder } from "../chain/index/transfer-kind.ts";

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

// As in the index event_newest_open, whose order has the token's id before it: null is no constant to PostgreSQL.
const openSource = "case when e.open then e.source end";

/** SQL: the newest open event among those of `t` is gone from the index; `whose` is a condition on `e.token_id`. */
const isNewestGone = (tables: ChainTables, whose: string): string => `exists (
  select from (
    select * from vitrine.event e
     where e.chain_id = t.chain_id and e.collection = t.collection_address and ${whose} and ${openSource} is not null
     order by e.token_id desc, ${inChainOrder(`(${openSource})`)} desc limit 1) e
   -- With "offset 0" it is looked up by key; joined, a plan from before there are statistics may read the whole table.
   where not exists (select from ${tables.lockEvent} l where ${isSame} offset 0))`;

/**
 * SQL: one of the events of `t` is gone, and no block has come since. The newest is asked for, which event_gone alone has
 * in order: for "exists", or one question about token and collection, a plan from before there are statistics may read
 * all that are open.
 */
const isAnyGone = (whose: string): string => `coalesce((
  select e.gone_at from vitrine.event e
   where e.chain_id = t.chain_id and e.collection = t.collection_address and ${whose} and e.gone_at is not null
   order by e.gone_at desc limit 1) >= c.latest_checkpoint, false)`;

/**
 * SQL: a published lock event of token `t`, or of its collection's default, is gone from the index, and no block has
 * come since. `t` has chain_id, collection_address and token_id; `c` is the chain's row of Ponder's checkpoints.
 *
 * Of those that are open, only the newest of each is looked up, since there may be tens of thousands. The writer
 * publishes an event in the transaction that reverts those that are gone, and a reorg undoes a chain's events from the
 * last one back: none that is older is gone alone before the next block.
 */
export const isReverted = (tables: ChainTables): string =>
  `(${["e.token_id = t.token_id", "e.token_id is null"]
    .flatMap((whose) => [isAnyGone(whose), isNewestGone(tables, whose)])
    .join("\n  or ")})`;
