/** What a start finds in a schema before Ponder does. */

import { escapeIdentifier } from "pg";
import type { Queryable } from "../../db/database.ts";
import { inStartSession } from "../../db/start-session.ts";
import { type Checkpoint, readCheckpoint } from "./checkpoint.ts";
import { readSchema, type SchemaContent } from "./index-build.ts";

export interface IndexAtStart {
  readonly schema: string;
  readonly content: SchemaContent;
  /** The finalized block of each chain that the schema has an index of. */
  readonly finalized: readonly Checkpoint[];
}

/**
 * Reads it on a connection of its own. Rejects with PostgreSQL's error where the role may not use Ponder's own schema, and
 * with the connection's error when PostgreSQL is away.
 */
export const readIndexAtStart = (connectionString: string, schema: string): Promise<IndexAtStart> =>
  inStartSession(connectionString, async (db) => {
    // Denied that, Ponder would try for over a minute, with a stack each time.
    await db.query("select to_regclass('ponder_sync.any')");
    return { schema, content: await readSchema(db, schema), finalized: await readFinalized(db, schema) };
  });

async function readFinalized(db: Queryable, schema: string): Promise<Checkpoint[]> {
  const table = `${escapeIdentifier(schema)}._ponder_checkpoint`;
  const [found] = await db.query<{ exists: boolean }>("select to_regclass($1) is not null as exists", [
    table,
  ]);
  if (!found?.exists) return [];
  const rows = await db.query<{ chainId: string; checkpoint: string }>(
    `select chain_id as "chainId", finalized_checkpoint as checkpoint from ${table}`,
  );
  // A checkpoint may name no block, or one of another chain.
  return rows.flatMap(({ chainId, checkpoint }) => {
    const read = readCheckpoint(checkpoint);
    return read.chainId === Number(chainId) && Number.isSafeInteger(read.block) ? [read] : [];
  });
}
