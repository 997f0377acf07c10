/** The head of each chain, from Ponder's checkpoint table. */

import { createBatch } from "../../async/batch.ts";
import { type Database, planName } from "../../db/database.ts";
import { type Checkpoint, readCheckpoint } from "./checkpoint.ts";
import type { ChainTables } from "./tables.ts";

export interface IndexHead extends Checkpoint {
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
      ...readCheckpoint(checkpoint),
      chainId: Number(chainId),
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
