/**
 * Who may index into a schema: the process whose session holds a PostgreSQL advisory lock on it. PostgreSQL ends the
 * session with its process, so a lock that Ponder's row still shows while the advisory lock is free is a dead one's.
 */

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg, { escapeIdentifier } from "pg";
import { BootError } from "../../../boot-error.ts";
import type { Queryable } from "../../db/database.ts";
import { isDatabaseAway } from "../../db/database-away.ts";
import { withTimeout } from "../../jobs/timeout.ts";
import { isSeenGone, markProcess, type ProcessMark } from "./process-mark.ts";
import type { ChainTables } from "./tables.ts";

// Longer than a stop in order takes (10 s), and than PostgreSQL takes to notice that a machine is gone (14 s, below).
const WAIT_MS = 20_000;
const KEEPALIVE =
  "set tcp_keepalives_idle = 5; set tcp_keepalives_interval = 3; set tcp_keepalives_count = 3";
// A live process that has lost its session has another within this time, several times over.
const GRACE_MS = 800;
const RETRY_MS = 100;
const CONNECT_TIMEOUT_MS = 5_000;
// A connection whose other side is gone without a word looks open for hours; PostgreSQL has given the hold away by then.
const BEAT_MS = 3_000;
const BEAT_ANSWER_MS = 5_000;
// What a dead process asked last may still run, and must not write into what the next one reads.
const LAST_STATEMENT_MS = 10_000;
const POLL_MS = 50;
// As long as Ponder tries to reach a database at its start.
const DATABASE_AWAY_MS = 60_000;
const DATABASE_RETRY_MS = 500;
const LOCK_NOT_AVAILABLE = "55P03";
const LOCK_SQL = "select pg_advisory_lock(hashtextextended('vitrine index ' || $1, 0))";
const TRY_LOCK_SQL = "select pg_try_advisory_lock(hashtextextended('vitrine index ' || $1, 0)) as held";

export interface SchemaLock {
  /** Of this process and no other. */
  readonly token: string;
  /** Ends the session, and the hold with it. */
  close(): Promise<void>;
}

export interface SchemaLockOptions {
  readonly connectionString: string;
  readonly schema: string;
  readonly onLine: (line: string) => void;
  /** Called when the hold was lost and another process has taken the schema: this one must not write any more. */
  readonly onTaken: () => void;
  /** How long to wait for the schema; 20 s. */
  readonly waitMs?: number;
}

interface LockRow {
  readonly locked: boolean;
  readonly heldBy: (ProcessMark & { readonly token: string }) | null;
}

let current: SchemaLock | undefined;

/** This process's hold, once `holdSchema` has it. */
export const currentSchemaLock = (): SchemaLock | undefined => current;

/**
 * Waits up to 20 s for the schema, then throws a BootError that names who has it; up to 60 s for a database that is
 * away, then throws what it failed with. Before it resolves it takes away the
 * lock that a dead process has left in Ponder's row. A lock that carries no mark, as that of an older version, is left
 * to Ponder, which lets it run out after 25 s.
 */
export async function lockSchemaForProcess(options: SchemaLockOptions): Promise<SchemaLock> {
  const { schema, onLine, waitMs = WAIT_MS } = options;
  const token = randomUUID();
  const deadline = Date.now() + waitMs;
  let session = await openFirstSession(options.connectionString, token);
  for (;;) {
    await takeLock(session, schema, deadline);
    if (await releaseDeadLock(session, schema, onLine)) break;
    // Its owner lives, and tries for it ten times a second.
    await session.end();
    await sleep(GRACE_MS);
    session = await openSession(options.connectionString, token);
  }
  current = keepHold(session, options, token);
  return current;
}

/**
 * Marks the lock in Ponder's row as this process's; Ponder writes the row without the mark when it takes the lock. Takes
 * the lock where Ponder has not: it goes on without one in a schema that it left before its first checkpoint, and then
 * `ponder db prune` drops the index under it. Ponder renews and releases it as its own.
 */
export async function lockSchema(db: Queryable, { meta }: ChainTables, hold?: SchemaLock): Promise<void> {
  const mark = hold ? { held_by: { token: hold.token, ...markProcess() } } : {};
  await db.query(
    `update ${meta}
        set value = value || $1::jsonb || case when (value->>'is_locked')::int = 1 then '{}' else
              jsonb_build_object('is_locked', 1, 'heartbeat_at', (extract(epoch from now()) * 1000)::bigint) end
      where key = 'app'`,
    [JSON.stringify(mark)],
  );
}

const lockName = (token: string): string => `vitrine hold ${token}`;

async function openSession(connectionString: string, token: string): Promise<pg.Client> {
  const session = new pg.Client({
    connectionString,
    application_name: lockName(token),
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    keepAlive: true,
  });
  // The next query fails as well and is answered for; without a listener the loss would end the process.
  session.on("error", () => undefined);
  try {
    await session.connect();
    await session.query(KEEPALIVE);
    return session;
  } catch (error) {
    await session.end().catch(() => undefined);
    throw error;
  }
}

/** A database that starts together with this process, or is away for a moment, is waited for as Ponder would. */
async function openFirstSession(connectionString: string, token: string): Promise<pg.Client> {
  const deadline = Date.now() + DATABASE_AWAY_MS;
  for (;;) {
    try {
      return await openSession(connectionString, token);
    } catch (error) {
      if (!isDatabaseAway(error) || Date.now() > deadline) throw error;
      await sleep(DATABASE_RETRY_MS);
    }
  }
}

async function takeLock(session: pg.Client, schema: string, deadline: number): Promise<void> {
  try {
    await session.query(`set lock_timeout = ${Math.max(1, deadline - Date.now())}`);
    await session.query(LOCK_SQL, [schema]);
  } catch (error) {
    if ((error as pg.DatabaseError).code !== LOCK_NOT_AVAILABLE) throw error;
    const row = await readRow(session, schema);
    const holder = row?.heldBy ? ` (process ${row.heldBy.pid} on ${row.heldBy.host})` : "";
    await session.end();
    throw new BootError(
      `Schema "${schema}" is in use by another process${holder}; stop that process or set DATABASE_SCHEMA to another name.`,
    );
  }
}

async function readRow(session: pg.Client, schema: string): Promise<LockRow | undefined> {
  const meta = `${escapeIdentifier(schema)}._ponder_meta`;
  const { rows: found } = await session.query<{ there: boolean }>(
    "select to_regclass($1) is not null as there",
    [meta],
  );
  if (!found[0]?.there) return undefined;
  const { rows } = await session.query<LockRow>(
    `select (value->>'is_locked')::int = 1 as locked, value->'held_by' as "heldBy" from ${meta} where key = 'app'`,
  );
  return rows[0];
}

/** False when the process that the row names lives after all: it lost its session and has another. */
async function releaseDeadLock(
  session: pg.Client,
  schema: string,
  onLine: (line: string) => void,
): Promise<boolean> {
  const row = await readRow(session, schema);
  if (!row?.locked || !row.heldBy) return true;
  const { token, pid, host } = row.heldBy;
  if (!isSeenGone(row.heldBy)) {
    await sleep(GRACE_MS);
    if (await isConnected(session, lockName(token))) return false;
  }
  // Where it still writes, Ponder waits for its lock as it does without us.
  if (!(await hasLastStatementEnded(session, schema))) return true;
  const { rowCount } = await session.query(
    `update ${escapeIdentifier(schema)}._ponder_meta set value = jsonb_set(value, '{is_locked}', '0')
      where key = 'app' and value->'held_by'->>'token' = $1`,
    [token],
  );
  if (rowCount)
    onLine(`vitrine: process ${pid} on ${host} is gone; its lock on schema "${schema}" is taken away.`);
  return true;
}

/** Waits for the connections over which Ponder writes its tables, which live on until their statement is done. */
async function hasLastStatementEnded(session: pg.Client, schema: string): Promise<boolean> {
  for (const end = Date.now() + LAST_STATEMENT_MS; Date.now() < end; await sleep(POLL_MS)) {
    if (!(await isConnected(session, `${schema}_user`))) return true;
  }
  return false;
}

async function isConnected(session: pg.Client, name: string): Promise<boolean> {
  const { rows } = await session.query(
    "select from pg_stat_activity where datname = current_database() and application_name = $1 limit 1",
    [name],
  );
  return rows.length > 0;
}

/** Takes the hold again whenever its session is lost, as in a restart of PostgreSQL. */
function keepHold(
  first: pg.Client,
  { connectionString, schema, onTaken }: SchemaLockOptions,
  token: string,
): SchemaLock {
  let session = first;
  let isClosed = false;

  async function retake(): Promise<void> {
    session = await openSession(connectionString, token);
    for (; !isClosed; await sleep(RETRY_MS)) {
      const { rows } = await session.query<{ held: boolean }>(TRY_LOCK_SQL, [schema]);
      if (rows[0]?.held) return watch();
      const heldBy = (await readRow(session, schema))?.heldBy;
      if (heldBy && heldBy.token !== token) return onTaken();
    }
  }
  async function retakeUntilDone(): Promise<void> {
    while (!isClosed) {
      try {
        return await retake();
      } catch {
        // PostgreSQL is away, or went away again.
        await session.end().catch(() => undefined);
        await sleep(RETRY_MS);
      }
    }
  }
  function watch(): void {
    session.once("end", () => {
      if (!isClosed) void retakeUntilDone();
    });
  }
  watch();
  let isBeating = false;
  async function beat(): Promise<void> {
    if (isBeating) return;
    isBeating = true;
    const asked = session;
    if (!(await withTimeout(BEAT_ANSWER_MS, asked.query("select 1"))))
      await withTimeout(BEAT_MS, asked.end());
    isBeating = false;
  }
  const beating = setInterval(beat, BEAT_MS).unref();

  return {
    token,
    async close() {
      isClosed = true;
      clearInterval(beating);
      await session.end();
    },
  };
}
