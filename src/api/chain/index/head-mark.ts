/** The highest head that any process has seen of an index: the mark that tells whether a restart has taken rows back. */

import type { Database, Queryable } from "../../db/database.ts";
import type { Logger } from "../../http/logger.ts";
import { startPassLoop } from "../../jobs/pass-loop.ts";
import { ready } from "./index-trust.ts";
import type { ChainTables } from "./tables.ts";

const RAISE_MS = 500;

/**
 * Raises the mark of every chain to its checkpoint; never lowers one. While the index is not ready the mark is put
 * past the checkpoint: a restart takes rows back and leaves the old head beside them, until its first block.
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
 * Keeps raising the head mark; every replica does, so that none trusts an index that another saw further. The first
 * time is awaited: an index that starts again is not ready yet, and that has to be seen before anything is answered.
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
