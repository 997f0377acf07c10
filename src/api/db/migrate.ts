/** Brings schema `vitrine` up to date with numbered, additive migrations, each applied once. */

import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { say as sayOnStderr } from "../logging/say.ts";
import { CLIENT_KEEPALIVE, SERVER_KEEPALIVE } from "./keepalive.ts";
import { type Migration, readMigrations } from "./migrations.ts";
import { NO_TIMEOUTS } from "./session-settings.ts";

// Any constant works if every Vitrine process on this database uses the same.
const LOCK_KEY = 7_641_209;
// While a migration waits for a table's lock, everybody else who needs the table waits behind it. So it waits briefly,
// lets them through, and tries again.
const LOCK_WAIT_MS = 250;
const LOCK_PAUSE_MS = 2_000;
const LOCK_PAUSE_JITTER_MS = 1_000;
// What another transaction may cause: no lock in time, and a deadlock.
const BUSY = new Set(["55P03", "40P01"]);
// PostgreSQL ends an autovacuum for whoever has waited for it for deadlock_timeout, and not before.
const VACUUM_WAIT = `select setting::int + ${LOCK_WAIT_MS} as ms from pg_settings where name = 'deadlock_timeout' and exists (
  select from pg_locks where mode = 'ShareUpdateExclusiveLock' and granted and pid <> pg_backend_pid()
    and database = (select oid from pg_database where datname = current_database()))`;

/**
 * Applies missing migrations in order, one transaction each, and returns the names of those applied. Concurrent processes
 * take turns. A migration that needs a table's lock waits as long as it takes, reports it to `say`, and lets others use
 * the table. When one fails, throws with the file's name; it leaves nothing behind, and earlier ones stay applied.
 */
export async function migrate(
  connectionString: string,
  migrations = readMigrations(),
  say: (line: string) => void = sayOnStderr,
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
    await client.query(NO_TIMEOUTS);
    await takeLock(client, say);
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

/** Until the session ends. Waits for another process, and says so. */
async function takeLock(client: pg.Client, say: (line: string) => void): Promise<void> {
  const { rows } = await client.query<{ isMine: boolean }>('select pg_try_advisory_lock($1) as "isMine"', [
    LOCK_KEY,
  ]);
  if (rows[0]?.isMine) return;
  say("vitrine: waiting for another process, which is migrating the database.");
  await client.query("select pg_advisory_lock($1)", [LOCK_KEY]);
}

async function apply(
  client: pg.Client,
  { id, name, sql }: Migration,
  say: (line: string) => void,
): Promise<void> {
  let waitMs = LOCK_WAIT_MS;
  for (let tries = 1; ; tries++) {
    try {
      await client.query("begin");
      await client.query(`set local lock_timeout = ${waitMs}`);
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
      await sleep(LOCK_PAUSE_MS + Math.random() * LOCK_PAUSE_JITTER_MS);
      const { rows } = await client.query<{ ms: number }>(VACUUM_WAIT);
      waitMs = rows[0]?.ms ?? LOCK_WAIT_MS;
    }
  }
}
