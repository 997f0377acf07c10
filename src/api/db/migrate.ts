/** Brings schema `vitrine` up to date with numbered, additive migrations, each applied once. */

import pg from "pg";
import { readMigrations } from "./migrations.ts";

// Any constant works if every Vitrine process on this database uses the same.
const LOCK_KEY = 7_641_209;

/**
 * Applies missing migrations in order, one transaction each, and returns the names of those applied. Concurrent processes
 * take turns. When a migration fails, throws with the file's name; it leaves nothing behind, and earlier ones stay applied.
 */
export async function migrate(connectionString: string, migrations = readMigrations()): Promise<string[]> {
  const done: string[] = [];
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
      done.push(name);
    }
    return done;
  } finally {
    // Ends the session, which releases the lock and rolls back a failed transaction.
    await client.end();
  }
}
