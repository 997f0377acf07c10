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

// Denied one of them, Ponder would try for over a minute, with a stack each time.
const REQUIRE_PONDER_SYNC = `do $$
  declare denied text;
  begin
    perform to_regclass('ponder_sync.any');
    select relname into denied from pg_class
     where relnamespace = to_regnamespace('ponder_sync') and relkind in ('r', 'p')
       and not (has_table_privilege(oid, 'select') and has_table_privilege(oid, 'insert')
                and has_table_privilege(oid, 'update') and has_table_privilege(oid, 'delete'))
     order by relname limit 1;
    if denied is not null then
      raise insufficient_privilege using message = format('permission denied for table %s', denied);
    end if;
  end $$`;

/**
 * Reads it on a connection of its own. Rejects with PostgreSQL's error where the role may not use Ponder's own schema or
 * one of its tables, and with the connection's error when PostgreSQL is away.
 */
export const readIndexAtStart = (connectionString: string, schema: string): Promise<IndexAtStart> =>
  inStartSession(connectionString, async (db) => {
    await db.query(REQUIRE_PONDER_SYNC);
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
