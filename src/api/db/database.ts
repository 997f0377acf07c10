/** The one way rooms reach PostgreSQL: a pool with bounds, plain SQL and transactions. */

import pg from "pg";
import type { Logger } from "../http/logger.ts";

const POOL_CONNECTIONS_MAX = 10;
// A reorg locks every on-chain table for a moment; a read that waits longer has failed.
const STATEMENT_TIMEOUT_MS = 5_000;
const CONNECT_TIMEOUT_MS = 5_000;
// PostgreSQL ends one of two transactions that wait for each other; tried again it finds the other gone.
const DEADLOCK = "40P01";
const TRIES_MAX = 3;

export interface Queryable {
  /**
   * Outside of a transaction a statement runs again after a deadlock, which a read of Ponder's tables may have with a
   * reorg: nothing of it was done.
   *
   * With a `name`, which must stand for one text alone, the statement is planned once per connection: for those that
   * run all the time, whose plan does not depend on their parameters.
   */
  query<Row>(sql: string, parameters?: readonly unknown[], name?: string): Promise<Row[]>;
}

/**
 * In a transaction `byKey`, PostgreSQL finds rows by indexes alone, however small a table is: for statements with a name,
 * whose plan is kept while the table grows.
 */
export type TransactionKind = "plain" | "byKey";

const beginnings: Record<TransactionKind, string> = {
  plain: "begin",
  byKey:
    "begin; set local enable_seqscan = off; set local enable_hashjoin = off; set local enable_mergejoin = off",
};

export interface Database extends Queryable {
  /**
   * Commits when `work` resolves and rolls back when it throws. Never await the network inside. After a deadlock
   * `work` runs again, so it must leave nothing behind but what it wrote.
   */
  transaction<Result>(work: (tx: Queryable) => Promise<Result>, kind?: TransactionKind): Promise<Result>;
  close(): Promise<void>;
}

const queryable = (client: pg.Pool | pg.PoolClient): Queryable => ({
  async query<Row>(text: string, parameters: readonly unknown[] = [], name?: string) {
    const { rows } = await client.query({ text, values: [...parameters], ...(name && { name }) });
    return rows as Row[];
  },
});

export function createDatabase(connectionString: string, logger: Logger): Database {
  const pool = new pg.Pool({
    connectionString,
    max: POOL_CONNECTIONS_MAX,
    application_name: "vitrine",
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    statement_timeout: STATEMENT_TIMEOUT_MS,
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on("error", (error) =>
    logger.warn({ msg: "Lost an idle database connection", reason: error.message }),
  );

  const { query } = queryable(pool);
  return {
    query: (sql, parameters, name) => unlessDeadlocked(() => query(sql, parameters, name)),
    transaction: (work, kind = "plain") => unlessDeadlocked(() => runTransaction(pool, work, kind)),
    close: () => pool.end(),
  };
}

/** Runs it again after a deadlock, three times in all. */
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
  work: (tx: Queryable) => Promise<Result>,
  kind: TransactionKind,
): Promise<Result> {
  const client = await pool.connect();
  let broken: Error | undefined;
  // A connection that breaks in a transaction tells it to nobody else; unheard, it would end the process.
  const onError = (error: Error): void => {
    broken = error;
  };
  client.on("error", onError);
  try {
    await client.query(beginnings[kind]);
    const result = await work(queryable(client));
    await client.query("commit");
    return result;
  } catch (error) {
    await client.query("rollback").catch(onError);
    throw error;
  } finally {
    client.release(broken);
    client.off("error", onError);
  }
}
