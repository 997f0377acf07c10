/** Brings schema `vitrine` up to date with numbered, additive migrations, each applied once. */

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { CLIENT_KEEPALIVE, SERVER_KEEPALIVE } from "./keepalive.ts";
import { type Migration, readMigrations } from "./migrations.ts";

// Any constant works if every Vitrine process on this database uses the same.
const LOCK_KEY = 7_641_209;
// While a migration waits for a table's lock, everybody else who needs the table waits behind it. So it waits briefly,
// lets them through, and tries again.
const LOCK_WAIT_MS = 2_000;
const LOCK_PAUSE_MS = 1_000;
// What another transaction may cause: no lock in time, and a deadlock.
const BUSY = new Set(["55P03", "40P01"]);

/**
 * Applies missing migrations in order, one transaction each, and returns the names of those applied. Concurrent processes
 * take turns. A migration that needs a table's lock waits as long as it takes, reports it to `say`, and lets others use
 * the table. When one fails, throws with the file's name; it leaves nothing behind, and earlier ones stay applied.
 */
export async function migrate(
  connectionString: string,
  migrations = readMigrations(),
  say = (line: string): void => void process.stderr.write(`${line}\n`),
): Promise<string[]> {
  const done: string[] = [];
  const client = new pg.Client({
    connectionString,
    application_name: "vitrine migrations",
    ...CLIENT_KEEPALIVE,
  });
  // The next statement reports the loss; without a listener, the event would end the process.
  client.on("error", () => undefined);
  await client.connect();
  try {
    await client.query(SERVER_KEEPALIVE);
    await client.query("select pg_advisory_lock($1)", [LOCK_KEY]);
    await client.query("create schema if not exists vitrine");
    await client.query(
      "create table if not exists vitrine.migration (id int primary key, applied_at timestamptz not null default now())",
    );
    const { rows } = await client.query<{ id: number }>("select id from vitrine.migration");
    const applied = new Set(rows.map((row) => row.id));
    for (const migration of migrations) {
      if (applied.has(migration.id)) continue;
      await apply(client, migration, say);
      done.push(migration.name);
    }
    return done;
  } finally {
    // Ends the session, which releases the lock and rolls back a failed transaction.
    await client.end();
  }
}

async function apply(
  client: pg.Client,
  { id, name, sql }: Migration,
  say: (line: string) => void,
): Promise<void> {
  for (let tries = 1; ; tries++) {
    try {
      await client.query("begin");
      await client.query(`set local lock_timeout = ${LOCK_WAIT_MS}`);
      await client.query(sql);
      await client.query("insert into vitrine.migration (id) values ($1)", [id]);
      await client.query("commit");
      return;
    } catch (error) {
      const cause = error as pg.DatabaseError;
      if (!BUSY.has(cause.code ?? ""))
        throw new Error(`Migration ${name} failed: ${cause.message}`, { cause });
      await client.query("rollback");
      if (tries === 1)
        say(`vitrine: migration ${name} is waiting for other transactions to release their locks.`);
      await sleep(LOCK_PAUSE_MS);
    }
  }
}
