/** The highest head that any process has seen of a chain index. It shows whether a restart has reverted rows. */

import type { Database, Queryable } from "../../db/database.ts";
import { startPassLoop } from "../../jobs/pass-loop.ts";
import type { Logger } from "../../logging/logger.ts";
import { ready } from "./index-trust.ts";
import type { ChainTables } from "./tables.ts";

const RAISE_MS = 500;

/**
 * Raises each chain's mark to its checkpoint; never lowers it. While the chain index is not ready, puts the mark past
 * the checkpoint: a restart reverts rows but keeps the old head until its first block.
 */
export async function raiseHeads(db: Queryable, tables: ChainTables): Promise<void> {
  await db.query(
    `insert into vitrine.chain_head as h (schema, chain_id, checkpoint)
     select $1, chain_id, latest_checkpoint || case when ${ready(tables)} then '' else '0' end from ${tables.checkpoint}
     on conflict (schema, chain_id) do update set checkpoint = excluded.checkpoint
      where excluded.checkpoint > h.checkpoint`,
    [tables.schema],
  );
}

/**
 * Keeps raising the head mark. Every replica does, so that none trusts a chain index that another has seen further
 * along. Awaits the first time: a restarting chain index is not ready yet, and the mark must record that before any
 * response.
 */
export async function startHeadMark(deps: {
  database: Database;
  tables: ChainTables;
  logger: Logger;
}): Promise<{ stop(): void }> {
  const { database, tables, logger } = deps;
  await raiseHeads(database, tables);
  const loop = startPassLoop({
    task: "raise the chain head mark",
    firstMs: RAISE_MS,
    pollMs: RAISE_MS,
    logger,
    pass: () => raiseHeads(database, tables),
  });
  return { stop: () => void loop.stop() };
}
