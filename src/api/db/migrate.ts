/** Brings schema `vitrine` up to date: numbered migrations that only add, each applied once. */

import pg from "pg";
import { readMigrations } from "./migrations.ts";

// Any constant will do; it is the same for every Vitrine process on this database.
const LOCK_KEY = 7_641_209;

/**
 * Applies what is missing, in order, one transaction each. Processes that start together take turns. Throws with the
 * file's name when a migration fails; those before it stay applied, and nothing of it does.
 */
export async function migrate(connectionString: string, migrations = readMigrations()): Promise<void> {
  const client = new pg.Client({ connectionString, application_name: "vitrine migrations" });
  await client.connect();
  try {
    await client.query("select pg_advisory_lock($1)", [LOCK_KEY]);
    await client.query("create schema if not exists vitrine");
    await client.query(
      "create table if not exists vitrine.migration (id int primary key, applied_at timestamptz not null default now())",
    );
    const { rows } = await client.query<{ id: number }>("select id from vitrine.migration");
    const applied = new Set(rows.map((row) => row.id));
    for (const { id, name, sql } of migrations) {
      if (applied.has(id)) continue;
      await client.query("begin");
      await client.query(sql).catch((cause: Error) => {
        throw new Error(`Migration ${name} failed: ${cause.message}`, { cause });
      });
      await client.query("insert into vitrine.migration (id) values ($1)", [id]);
      await client.query("commit");
    }
  } finally {
    // Ends the session, and with it the lock and any transaction that failed.
    await client.end();
  }
}
