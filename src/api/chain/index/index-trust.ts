/**
 * Whether the index may be believed, as SQL for the very statement that reads it: asked apart, the answer may be older
 * than the rows. `c` is a chain's row of Ponder's checkpoints.
 */

import type { ChainTables } from "./tables.ts";

/** SQL: Ponder's backfill is done. It turns false again at every restart. */
export const ready = (tables: ChainTables): string =>
  `coalesce((select (value->>'is_ready')::int = 1 from ${tables.meta} where key = 'app'), false)`;

/** SQL: the mark of an index's head on a chain (head-mark.ts), a checkpoint; null before there is one. */
export const headMark = (schema: string, chainId: string): string =>
  `(select h.checkpoint from vitrine.chain_head h where h.schema = ${schema} and h.chain_id = ${chainId})`;

/**
 * SQL: the checkpoint row `c` is not below the mark. After a restart Ponder serves rows up to 30 blocks back, first
 * under the old head; the mark tells. `schema` is the parameter that holds the index's schema.
 */
export const caughtUp = (schema: string): string =>
  `c.latest_checkpoint >= coalesce(${headMark(schema, "c.chain_id")}, '')`;

// Under clocks that differ by more, an index that stands still would pass for fresh. Local chains that mine a block for
// each of many transactions come to run minutes ahead.
const FUTURE_MAX_SECONDS = 900;

/** SQL: the block of `c` is no older, nor of a far future. Its first ten digits are the block's Unix seconds. */
export const young = (maxAgeSeconds: string): string =>
  `extract(epoch from now()) - left(c.latest_checkpoint, 10)::bigint between -${FUTURE_MAX_SECONDS} and ${maxAgeSeconds}`;

/** SQL: the block number in a checkpoint, its digits 27 to 42. */
export const blockOf = (checkpoint: string): string => `substr(${checkpoint}, 27, 16)::bigint`;

/**
 * SQL: the index's head on a chain as the guard needs it, `{block, hashes}`; null before there is one. `schema` is the
 * parameter that holds the index's schema, `chainId` an expression.
 */
export const indexedBlock = (tables: ChainTables, chainId: string, schema: string): string => `
  (select json_build_object('block', ${blockOf("c.latest_checkpoint")}, 'hashes', coalesce(
            (select json_agg(d.hash) from vitrine.delivered_block d
              where d.schema = ${schema} and d.chain_id = c.chain_id and d.number = ${blockOf("c.latest_checkpoint")}), '[]'))
     from ${tables.checkpoint} c where c.chain_id = ${chainId})`;
