/**
 * Who may index into a schema: the process whose session holds a PostgreSQL advisory lock on it. PostgreSQL ends the
 * session with its process. So if the advisory lock is free, a lock in Ponder's row belongs to a dead process.
 */

import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import pg, { escapeIdentifier } from "pg";
import { BootError } from "../../../boot-error.ts";
import { withTimeout } from "../../async/timeout.ts";
import type { Queryable } from "../../db/database.ts";
import { isDatabaseAway } from "../../db/database-away.ts";
import { CLIENT_KEEPALIVE, SERVER_KEEPALIVE } from "../../db/keepalive.ts";
import { NO_TIMEOUTS } from "../../db/session-settings.ts";
import { processWide } from "../../process-wide.ts";
import { isSeenGone, markProcess, type ProcessMark } from "./process-mark.ts";
import type { ChainTables } from "./tables.ts";

// Longer than a graceful stop takes (10 s), and than PostgreSQL takes to notice a lost machine (14 s).
const WAIT_MS = 20_000;
// A live process that has lost its session reconnects several times within this period.
const GRACE_MS = 800;
const RETRY_MS = 100;
const CONNECT_TIMEOUT_MS = 5_000;
// A half-open connection looks open for hours; by then PostgreSQL has given the lock to another process.
const BEAT_MS = 3_000;
const BEAT_ANSWER_MS = 5_000;
// A dead process's last statement may still run; the next process must not read before it ends.
const LAST_STATEMENT_MS = 10_000;
const POLL_MS = 50;
// As long as Ponder retries its database at startup.
const DATABASE_AWAY_MS = 60_000;
const DATABASE_RETRY_MS = 500;
const LOCK_NOT_AVAILABLE = "55P03";
const LOCK_SQL = "select pg_advisory_lock(hashtextextended('vitrine index ' || $1, 0))";
const TRY_LOCK_SQL =
  "select pg_try_advisory_lock(hashtextextended('vitrine index ' || $1, 0)) as \"isLocked\"";

export interface SchemaLock {
  /** Unique to this process. */
  readonly token: string;
  /** Ends the session and releases the lock. */
  close(): Promise<void>;
}

export interface SchemaLockOptions {
  readonly connectionString: string;
  readonly schema: string;
  readonly onLine: (line: string) => void;
  /** Called if the lock was lost and another process has taken the schema: this one must not write any more. */
  readonly onTaken: () => void;
  /** How long to wait for the schema; 20 s by default. */
  readonly waitMs?: number;
}

interface LockRow {
  readonly locked: boolean;
  readonly heldBy: (ProcessMark & { readonly token: string }) | null;
}

const held = processWide<{ lock: SchemaLock | undefined }>("schema lock", () => ({ lock: undefined }));

/** This process's lock, once `lockSchemaForProcess` has resolved. */
export const currentSchemaLock = (): SchemaLock | undefined => held.lock;

/**
 * Waits up to 20 s for the schema, then throws a BootError that names its owner. Waits up to 60 s for an unavailable
 * database, then throws its error. Before it resolves, it removes a dead process's lock from Ponder's row. A lock
 * without a mark, as older versions write it, is left to Ponder, which lets it expire after 25 s.
 */
export async function lockSchemaForProcess(options: SchemaLockOptions): Promise<SchemaLock> {
  const { schema, onLine, waitMs = WAIT_MS } = options;
  const token = randomUUID();
  const deadline = performance.now() + waitMs;
  let session = await openFirstSession(options.connectionString, token);
  for (;;) {
    await takeLock(session, schema, deadline);
    if (await releaseDeadLock(session, schema, onLine)) break;
    // The owner is alive and retries ten times a second.
    await session.end();
    await sleep(GRACE_MS);
    session = await openSession(options.connectionString, token);
  }
  held.lock = maintainLock(session, options, token);
  return held.lock;
}

/**
 * Marks the lock in Ponder's row as this process's; Ponder writes the row without the mark when it locks it. Also takes
 * the lock if Ponder has not: Ponder runs without one in a schema it left before its first checkpoint, and `ponder db
 * prune` would then drop the chain index in use. Ponder renews and releases the lock as its own.
 */
export async function lockSchema(db: Queryable, { meta }: ChainTables, lock?: SchemaLock): Promise<void> {
  const mark = lock ? { held_by: { token: lock.token, ...markProcess() } } : {};
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
    ...CLIENT_KEEPALIVE,
  });
  // The next query reports the loss; without a listener, the event would end the process.
  session.on("error", () => undefined);
  try {
    await session.connect();
    await session.query(SERVER_KEEPALIVE);
    await session.query(NO_TIMEOUTS);
    return session;
  } catch (error) {
    await session.end().catch(() => undefined);
    throw error;
  }
}

/** Waits for a database that is still starting or briefly unavailable, as Ponder would. */
async function openFirstSession(connectionString: string, token: string): Promise<pg.Client> {
  const deadline = performance.now() + DATABASE_AWAY_MS;
  for (;;) {
    try {
      return await openSession(connectionString, token);
    } catch (error) {
      if (!isDatabaseAway(error) || performance.now() > deadline) throw error;
      await sleep(DATABASE_RETRY_MS);
    }
  }
}

async function takeLock(session: pg.Client, schema: string, deadline: number): Promise<void> {
  try {
    await session.query(`set lock_timeout = ${Math.max(1, Math.ceil(deadline - performance.now()))}`);
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

/** False if the process named in the row is alive after all: it lost its session and has reconnected. */
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
  // If it is still writing, Ponder waits for its lock as it does without us.
  if (!(await hasLastStatementEnded(session, schema))) return true;
  const { rowCount } = await session.query(
    `update ${escapeIdentifier(schema)}._ponder_meta set value = jsonb_set(value, '{is_locked}', '0')
      where key = 'app' and value->'held_by'->>'token' = $1`,
    [token],
  );
  if (rowCount)
    onLine(`vitrine: process ${pid} on ${host} is gone; its lock on schema "${schema}" has been removed.`);
  return true;
}

/** Waits for the connections on which Ponder writes its tables; they last until their statement ends. */
async function hasLastStatementEnded(session: pg.Client, schema: string): Promise<boolean> {
  for (const end = performance.now() + LAST_STATEMENT_MS; performance.now() < end; await sleep(POLL_MS)) {
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

/** Takes the lock again whenever its session is lost, as when PostgreSQL restarts. */
function maintainLock(
  first: pg.Client,
  { connectionString, schema, onTaken }: SchemaLockOptions,
  token: string,
): SchemaLock {
  let session = first;
  let isClosed = false;

  async function retake(): Promise<void> {
    session = await openSession(connectionString, token);
    for (; !isClosed; await sleep(RETRY_MS)) {
      const { rows } = await session.query<{ isLocked: boolean }>(TRY_LOCK_SQL, [schema]);
      if (rows[0]?.isLocked) return watch();
      const heldBy = (await readRow(session, schema))?.heldBy;
      if (heldBy && heldBy.token !== token) return onTaken();
    }
  }
  async function retakeUntilDone(): Promise<void> {
    while (!isClosed) {
      try {
        return await retake();
      } catch {
        // PostgreSQL is still, or again, unavailable.
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
