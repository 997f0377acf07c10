/** Records the build in each schema, its inputs and its user, so that a later change can be explained. */

import { escapeIdentifier } from "pg";
import type { Queryable } from "../../db/database.ts";
import type { IndexInputs } from "./index-inputs.ts";
import type { ChainTables } from "./tables.ts";

// Ponder renews its lock every ten seconds and considers one this old abandoned.
const LOCK_SECONDS = 25;

/** Records the inputs of the build that Ponder has just put into its schema; a known build keeps its first ones. */
export async function recordIndexBuild(
  db: Queryable,
  { schema, meta }: ChainTables,
  inputs: IndexInputs,
): Promise<void> {
  await db.query(
    `insert into vitrine.index_build as b (schema, build_id, inputs)
     select $1, value->>'build_id', $2 from ${meta} where key = 'app'
     on conflict (schema) do update
       set build_id = excluded.build_id, inputs = excluded.inputs, created_at = excluded.created_at
     where b.build_id <> excluded.build_id`,
    [schema, JSON.stringify(inputs)],
  );
}

/** The content of a schema: nothing, a chain index, or something that is not Ponder's. */
export type SchemaContent =
  | { readonly kind: "empty" | "foreign" }
  | {
      readonly kind: "index";
      readonly buildId: string;
      /** A process is indexing into it. */
      readonly isInUse: boolean;
      /** Undefined for a build from before these records. */
      readonly inputs: IndexInputs | undefined;
    };

export async function readSchema(db: Queryable, schema: string): Promise<SchemaContent> {
  const [found] = await db.query<{ relations: number; meta: boolean; records: boolean }>(
    `select (select count(*)::int from pg_class c join pg_namespace n on n.oid = c.relnamespace
              where n.nspname = $1) as relations,
            to_regclass(quote_ident($1) || '._ponder_meta') is not null as meta,
            to_regclass('vitrine.index_build') is not null as records`,
    [schema],
  );
  if (!found?.relations) return { kind: "empty" };
  if (!found.meta) return { kind: "foreign" };
  const [app] = await db.query<{ buildId: string; isInUse: boolean }>(
    `select value->>'build_id' as "buildId",
            (value->>'is_locked')::int = 1
              and to_timestamp((value->>'heartbeat_at')::float8 / 1000) > now() - $1 * interval '1 second' as "isInUse"
       from ${escapeIdentifier(schema)}._ponder_meta where key = 'app'`,
    [LOCK_SECONDS],
  );
  if (!app) return { kind: "foreign" };
  const [record] = found.records
    ? await db.query<{ inputs: IndexInputs }>(
        "select inputs from vitrine.index_build where schema = $1 and build_id = $2",
        [schema, app.buildId],
      )
    : [];
  return { kind: "index", ...app, inputs: record?.inputs };
}

/** The schemas that have held a chain index of this build, newest first. They may be gone or hold another one by now. */
export async function readSchemasOf(db: Queryable, buildId: string): Promise<string[]> {
  const [found] = await db.query<{ records: boolean }>(
    "select to_regclass('vitrine.index_build') is not null as records",
  );
  if (!found?.records) return [];
  const rows = await db.query<{ schema: string }>(
    "select schema from vitrine.index_build where build_id = $1 order by created_at desc, schema",
    [buildId],
  );
  return rows.map(({ schema }) => schema);
}

/** Whether a process is indexing the chain into another schema: one chain index is being built beside another. */
export async function isIndexedElsewhere(db: Queryable, schema: string, chainId: number): Promise<boolean> {
  const others = await db.query<{ schema: string }>(
    "select schema from vitrine.index_build where schema <> $1",
    [schema],
  );
  for (const other of others) {
    const content = await readSchema(db, other.schema);
    if (content.kind !== "index" || !content.isInUse) continue;
    const chains = await db.query(
      `select from ${escapeIdentifier(other.schema)}._ponder_checkpoint where chain_id = $1`,
      [chainId],
    );
    if (chains.length > 0) return true;
  }
  return false;
}
