/** The head of each chain, from Ponder's checkpoint table. */

import { type Database, planName } from "../../db/database.ts";
import { createBatch } from "../../jobs/batch.ts";
import type { ChainTables } from "./tables.ts";

/**
 * Ponder's checkpoints have 75 digits: timestamp (10), chain (16), block (16), transaction (16), type (1), log (16).
 * Their text order is chain order.
 */
const TIMESTAMP_DIGITS = 10;
const BLOCK_OFFSET = 26;
const BLOCK_DIGITS = 16;

export interface IndexHead {
  readonly chainId: number;
  readonly block: number;
  /** The block's Unix seconds. */
  readonly timestamp: number;
  /** True once the backfill is complete; it stays true while Ponder runs. */
  readonly ready: boolean;
}

const ALL = "all";

export function createIndexHeads(database: Database, tables: ChainTables) {
  const text = `
    select c.chain_id as "chainId", c.latest_checkpoint as checkpoint,
           coalesce((select (value->>'is_ready')::int = 1 from ${tables.meta} where key = 'app'), false) as ready
      from ${tables.checkpoint} c order by c.chain_id`;

  async function readNow(): Promise<IndexHead[]> {
    const rows = await database.query<{ chainId: string; checkpoint: string; ready: boolean }>(
      text,
      [],
      planName(text),
    );
    return rows.map(({ chainId, checkpoint, ready }) => ({
      chainId: Number(chainId),
      block: Number(checkpoint.slice(BLOCK_OFFSET, BLOCK_OFFSET + BLOCK_DIGITS)),
      timestamp: Number(checkpoint.slice(0, TIMESTAMP_DIGITS)),
      ready,
    }));
  }

  const shared = createBatch<IndexHead[]>(async () => new Map([[ALL, await readNow()]]), { atOnce: 2 });
  return {
    /** The head of every chain with one; empty before Ponder has indexed anything. Callers share reads. */
    read: async (): Promise<readonly IndexHead[]> => (await shared(ALL)) ?? [],
  };
}

export type IndexHeads = ReturnType<typeof createIndexHeads>;
