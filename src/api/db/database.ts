/** The only way modules reach PostgreSQL: bounded pools, plain SQL and transactions. */

import { hash } from "node:crypto";
import { LRUCache } from "lru-cache";
import pg from "pg";
import type { Logger } from "../logging/logger.ts";
import { inSpan, isTracing } from "../tracing/spans.ts";
import { copyRows, type VisitRow } from "./copy-rows.ts";
import { CLIENT_KEEPALIVE, SERVER_KEEPALIVE } from "./keepalive.ts";
import { SERVING_SETTINGS } from "./session-settings.ts";
import { openSnapshot, type Snapshot } from "./snapshot.ts";
import { createStatementWatch, inStatementSpan, noteFailed, type StatementWatch } from "./statement-watch.ts";

const POOL_CONNECTIONS_MAX = 10;
const KEYED_CONNECTIONS_MAX = 6;
const COPY_CONNECTIONS_MAX = 4;
// A reorg locks every on-chain table for a moment; a read that waits longer has failed.
const STATEMENT_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;
// An answer that is later than any statement may take will never come, and whoever waits for it would wait for good. A
// transaction may raise the limit of its statements to half a minute, and counts the time of those that it sends together.
const ANSWER_TIMEOUT_MS = 60_000;
// A connection's plans go with it.
const IDLE_TIMEOUT_MS = 60_000;
// PostgreSQL aborts one of two deadlocked transactions; a retry no longer meets the other.
const DEADLOCK = "40P01";
const IN_FAILED_TRANSACTION = "25P02";
const TRIES_MAX = 3;
const PLAN_NAMES_MAX = 1_000;

export interface Queryable {
  /**
   * Outside a transaction, a statement is retried after a deadlock, which left nothing behind. Reads of Ponder's tables
   * may deadlock with a reorg.
   *
   * A statement with a `name`, which must stand for one text only, is planned once per connection. Outside a transaction
   * it uses database indexes only, on connections of its own, so it waits for no long write. Use a name for frequent
   * statements that find rows by key.
   */
  query<Row>(sql: string, parameters?: readonly unknown[], name?: string): Promise<Row[]>;
}

const planNames = new LRUCache<string, string>({ max: PLAN_NAMES_MAX });

/**
 * A plan's name for a statement whose text depends on the schema or on what it includes: the same for the same text, and
 * never for two. Only for texts of which there are few: each connection keeps every plan.
 */
export function planName(text: string): string {
  const known = planNames.get(text);
  if (known) return known;
  const name = hash("sha1", text, "base64url");
  planNames.set(text, name);
  return name;
}

/**
 * In a `byKey` transaction PostgreSQL uses database indexes only, however small a table is. It is for named statements,
 * whose cached plan outlives the table's growth.
 */
export type TransactionKind = "plain" | "byKey";

// A plan made while a table was small would read all of it until the table's next ANALYZE. There is no better plan for
// other parameters, and planning costs more than most of these statements do.
function keyedSettings(set: "set" | "set local"): string {
  const settings = [
    "enable_seqscan = off",
    "enable_hashjoin = off",
    "enable_mergejoin = off",
    "plan_cache_mode = force_generic_plan",
    // A generic plan expects many rows; starting a worker takes 5 ms and more, the statement a tenth of one.
    "max_parallel_workers_per_gather = 0",
  ];
  return settings.map((setting) => `${set} ${setting}`).join("; ");
}

const localSettings: Record<TransactionKind, string> = {
  plain: "",
  byKey: keyedSettings("set local"),
};

const KEYED_SETTINGS = keyedSettings("set");
// Our statements are short; before PostgreSQL 18, one that must read a small table whole would be compiled first.
// The locks of a process that is lost within a transaction, or of a machine that is paused, would stop all others.
const SETTINGS = `set jit = off; set idle_in_transaction_session_timeout = '60s'; ${SERVER_KEEPALIVE}; ${SERVING_SETTINGS}`;

export interface Database extends Queryable {
  /**
   * Commits when `work` resolves and rolls back when it throws. Never await the network inside. `work` runs again after
   * a deadlock, so database writes must be its only side effects. Statements that `work` starts without awaiting the one
   * before reach PostgreSQL together and run in order: `Promise.all` of several takes one round trip. Await all of them.
   * A statement without an answer in `answerTimeoutMs`, a minute by default, rejects, and its connection is not used again.
   */
  transaction<Result>(
    work: (tx: Queryable) => Promise<Result>,
    kind?: TransactionKind,
    answerTimeoutMs?: number,
  ): Promise<Result>;
  /** One moment of the whole database, for reads that take minutes; on connections of its own. See snapshot.ts. */
  snapshot(): Promise<Snapshot>;
  /** Reads the rows of a statement without parameters in bulk; a visitor that throws makes it reject. */
  copy(select: string, visit: VisitRow): Promise<void>;
  close(): Promise<void>;
}

const queryable = (
  client: Pick<pg.ClientBase, "query">,
  watch?: StatementWatch,
  answerTimeoutMs?: number,
): Queryable => ({
  async query<Row>(text: string, parameters: readonly unknown[] = [], name?: string) {
    const statement = {
      text,
      values: [...parameters],
      ...(name && { name }),
      ...(answerTimeoutMs !== undefined && { query_timeout: answerTimeoutMs }),
    };
    const startedAt = performance.now();
    try {
      const { rows } = await (isTracing()
        ? inStatementSpan(statement, () => client.query(statement))
        : client.query(statement));
      return rows as Row[];
    } catch (error) {
      noteFailed(statement, error);
      throw error;
    } finally {
      watch?.ended(statement, startedAt);
    }
  },
});

const dbSpan = () => ({ attributes: { "db.system.name": "postgresql" } });

/** How many connections there may be, for statements with and without a name. */
export interface PoolSizes {
  readonly plain: number;
  readonly keyed: number;
  /** How long a statement's answer is waited for; a minute by default. */
  readonly answerTimeoutMs?: number;
}

const usualSizes: PoolSizes = { plain: POOL_CONNECTIONS_MAX, keyed: KEYED_CONNECTIONS_MAX };

export function createDatabase(
  connectionString: string,
  logger: Logger,
  sizes: PoolSizes = usualSizes,
): Database {
  function createPool(max: number, settings: string, pipeline = false): pg.Pool {
    const pool = new pg.Pool({
      connectionString,
      max,
      pipeline,
      application_name: "vitrine",
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: sizes.answerTimeoutMs ?? ANSWER_TIMEOUT_MS,
      ...CLIENT_KEEPALIVE,
      idleTimeoutMillis: IDLE_TIMEOUT_MS,
      onConnect: (client) => client.query(settings),
    });
    // The pool replaces a broken idle connection; without a listener its error would end the process.
    pool.on("error", (error) =>
      logger.warn({ msg: "Lost an idle database connection", reason: error.message }),
    );
    return pool;
  }

  const pool = createPool(sizes.plain, SETTINGS, true);
  // COPY can't share a connection that is pipelined.
  const copyPool = createPool(Math.min(sizes.plain, COPY_CONNECTIONS_MAX), SETTINGS);
  const keyedPool = createPool(sizes.keyed, `${SETTINGS}; ${KEYED_SETTINGS}`);
  const watch = createStatementWatch(logger);
  const plain = queryable(pool, watch);
  const keyed = queryable(keyedPool, watch);
  return {
    query: (sql, parameters, name) =>
      unlessDeadlocked(() => (name === undefined ? plain : keyed).query(sql, parameters, name)),
    transaction: (work, kind = "plain", answerTimeoutMs) =>
      unlessDeadlocked(() =>
        inSpan("transaction", dbSpan, () =>
          runTransaction(pool, (client) => work(queryable(client, watch, answerTimeoutMs)), kind),
        ),
      ),
    snapshot: () =>
      openSnapshot({
        connectionString,
        settings: SETTINGS,
        localSettings,
        queryable: (client) => queryable(client),
      }),
    async copy(select, visit) {
      const client = await copyPool.connect();
      let broken: Error | undefined;
      const onError = (error: Error): void => {
        broken = error;
      };
      client.on("error", onError);
      try {
        await copyRows(client, select, visit);
      } catch (error) {
        broken ??= error as Error;
        throw error;
      } finally {
        // A connection on which a read failed is not used again: its protocol may be anywhere.
        client.release(broken);
        client.off("error", onError);
      }
    },
    async close() {
      await Promise.all([pool.end(), copyPool.end(), keyedPool.end()]);
    },
  };
}

/** Retries after a deadlock, with three tries in all. */
async function unlessDeadlocked<Result>(run: () => Promise<Result>): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await run();
    } catch (error) {
      if ((error as pg.DatabaseError).code !== DEADLOCK || tries === TRIES_MAX) throw error;
    }
  }
}

async function runTransaction<Result>(
  pool: pg.Pool,
  work: (client: Pick<pg.PoolClient, "query">) => Promise<Result>,
  kind: TransactionKind,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // Only this listener hears of a connection that breaks in a transaction; unhandled, the error would end the process.
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on("error", onError);
  const guard = guardTransaction(client);
  try {
    // Not sent along with the first statement, which would be committed by itself if this failed.
    await client.query(`begin; ${localSettings[kind]}`);
    const result = await work(guard.client);
    guard.end();
    const { command } = await client.query("commit");
    // PostgreSQL answers so where a statement had failed that nobody awaited.
    if (command !== "COMMIT") throw guard.causeOf(guard.ended);
    return result;
  } catch (error) {
    guard.end();
    await client.query("rollback").catch(onError);
    throw guard.causeOf(error);
  } finally {
    client.release(broken);
    client.off("error", onError);
  }
}

interface TransactionGuard {
  /** Rejects what comes too late. */
  readonly ended: Error;
  readonly client: Pick<pg.PoolClient, "query">;
  /** No statement is sent from now on. */
  end(): void;
  /** The first statement's fault, if this is of one that only failed because that one did; otherwise the same. */
  causeOf(error: unknown): unknown;
}

/**
 * Once a statement has failed, sends no other: of several chains of statements, one may go on when another has already
 * ended the transaction, and would write outside of it.
 */
function guardTransaction(client: pg.PoolClient): TransactionGuard {
  const ended = new Error("the transaction has ended");
  let isOver = false;
  let fault: unknown;
  const query = async (statement: string | pg.QueryConfig): Promise<pg.QueryResult> => {
    if (isOver) throw ended;
    try {
      return await client.query(statement);
    } catch (error) {
      fault ??= error;
      isOver = true;
      throw error;
    }
  };
  return {
    ended,
    client: { query: query as pg.PoolClient["query"] },
    end() {
      isOver = true;
    },
    causeOf(error) {
      const isConsequence = error === ended || (error as pg.DatabaseError).code === IN_FAILED_TRANSACTION;
      return isConsequence ? (fault ?? error) : error;
    },
  };
}
