/**
 * Whether the chain index can be trusted, as SQL for the statement that reads its rows: a separate query could be older
 * than they are. `c` is a chain's row of Ponder's checkpoints.
 */

import { blockOf } from "./checkpoint.ts";
import type { ChainTables } from "./tables.ts";

/** SQL: Ponder's backfill is complete. Every restart resets it. */
export const ready = (tables: ChainTables): string =>
  `coalesce((select (value->>'is_ready')::int = 1 from ${tables.meta} where key = 'app'), false)`;

// Ponder drops its triggers before it undoes blocks, and creates new ones with it, in one transaction (createTriggers in
// its database/actions.ts). A reorg of one chain also undoes what other chains have had since, and the next block, of any
// chain, does that again (getRealtimeEventsMultichain in its runtime/realtime.ts): the first checkpoint that is newer.
const reorgTrigger = ({ tokenState }: ChainTables): string =>
  `pg_trigger g where g.tgrelid = '${tokenState}'::regclass and g.tgname = 'reorg'`;
/**
 * SQL: how many transactions ago the one with this id began, of a row that the statement sees; right up to 2^32. `age` is
 * negative after 2^31, and rows keep their ids when they are frozen.
 */
export const transactionsSince = (xid: string): string =>
  `((pg_snapshot_xmax(pg_current_snapshot())::text::bigint - ${xid}::text::bigint) & 4294967295)`;
const isNewer = (row: string, other: string): string =>
  `${transactionsSince(`${row}.xmin`)} < ${transactionsSince(`${other}.xmin`)}`;

const isDoneAgain = ({ checkpoint }: ChainTables): string =>
  `exists (select from ${checkpoint} o where ${isNewer("o", "g")})`;

/**
 * SQL: no reorg, of whichever chain, has undone rows that the next block will do again. After a start, true from the
 * first block that follows the backfill, which ends some blocks before the chain's head.
 */
export const isWhole = (tables: ChainTables): string =>
  `coalesce((select ${isDoneAgain(tables)} from ${reorgTrigger(tables)}), false)`;

/**
 * SQL: the chain of checkpoint row `c` has had a block itself since Ponder last undid rows, in a reorg or a start. Before, its
 * checkpoint is that of the rows that were undone. Also true once another chain's block has made older ones final, which
 * writes to the rows of all chains (finalizeMultichain in its database/actions.ts).
 */
export const hasFollowed = (tables: ChainTables): string =>
  `coalesce((select ${isNewer("c", "g")} from ${reorgTrigger(tables)}), false)`;

/**
 * SQL: a text that changes with whatever transaction changes the chain index's rows of a chain; null before it starts. A
 * block moves its chain's checkpoint. A reorg moves none, and neither does a recovery after a crash; but both drop
 * Ponder's triggers first, and new ones have new ids.
 */
export const indexMark = (tables: ChainTables, chainId: string): string => `
  (select k.latest_checkpoint || ' ' || k.xmin::text || ' ' || coalesce(
            (select g.oid::text || ${isDoneAgain(tables)} from ${reorgTrigger(tables)}), '')
     from ${tables.checkpoint} k where k.chain_id = ${chainId})`;

/** SQL: the head mark of a chain (head-mark.ts), a checkpoint; null if there is none yet. */
export const headMark = (schema: string, chainId: string): string =>
  `(select h.checkpoint from vitrine.chain_head h where h.schema = ${schema} and h.chain_id = ${chainId})`;

/**
 * SQL: checkpoint row `c` is not below the mark. After a restart Ponder serves rows up to 30 blocks older, at first
 * under the old head; the mark detects that. `schema` is the parameter with the chain index's schema.
 */
export const caughtUp = (schema: string): string =>
  `c.latest_checkpoint >= coalesce(${headMark(schema, "c.chain_id")}, '')`;

/** SQL: Ponder has received several blocks of one number since its start. It receives a block before it undoes another. */
const hadReorg = (schema: string): string => `
  exists (select from vitrine.delivered_block d where d.schema = ${schema} and d.chain_id = c.chain_id
           group by d.number having count(*) > 1)`;

/**
 * SQL: rows of the chain of checkpoint row `c` are those of its latest block, or of the newest that was seen of it. Not while
 * the chain index is building, or behind what was seen of it before; nor after a reorg: of its own, or of any if it had one
 * among the blocks that are remembered, until its own next block; of another chain, until any chain's. `schema` is the
 * parameter with the chain index's schema.
 */
export const isCurrent = (tables: ChainTables, schema: string): string => `
  (${ready(tables)} and ${isWhole(tables)} and ${caughtUp(schema)} and (${hasFollowed(tables)} or not ${hadReorg(schema)}))`;

/** SQL: the same of a chain, by its id; false if it has no checkpoint yet. */
export const isChainCurrent = (tables: ChainTables, chainId: string, schema: string): string =>
  `coalesce((select ${isCurrent(tables, schema)} from ${tables.checkpoint} c where c.chain_id = ${chainId}), false)`;

// With a larger clock difference, a stalled chain index would pass for fresh. Local chains that mine one block per
// transaction run minutes ahead.
const FUTURE_MAX_SECONDS = 900;

/** SQL: the block of `c` is no older, and not far in the future. Its first ten digits are the block's Unix seconds. */
export const young = (maxAgeSeconds: string): string =>
  `extract(epoch from now()) - left(c.latest_checkpoint, 10)::bigint between -${FUTURE_MAX_SECONDS} and ${maxAgeSeconds}`;

/**
 * SQL: the chain index's head as the guard needs it, `{block, hashes}`, of checkpoint row `c`. `schema` is the
 * parameter with the chain index's schema.
 */
export const indexedBlock = (schema: string): string => `
  json_build_object('block', ${blockOf("c.latest_checkpoint")}, 'hashes', coalesce(
    (select json_agg(d.hash) from vitrine.delivered_block d
      where d.schema = ${schema} and d.chain_id = c.chain_id and d.number = ${blockOf("c.latest_checkpoint")}), '[]'))`;
