/** One moment of the database, read piece by piece over minutes without holding a lock between the pieces. */

import pg from "pg";
import type { Queryable, TransactionKind } from "./database.ts";
import { isDatabaseAway } from "./database-away.ts";
import { CLIENT_KEEPALIVE } from "./keepalive.ts";

const CONNECT_TIMEOUT_MS = 5_000;
// The longest single read sums all balances or transfers of a collection.
const STATEMENT_TIMEOUT_MS = 60_000;
const ANSWER_TIMEOUT_MS = 90_000;

export interface Snapshot {
  /**
   * Reads in a short transaction, always of the same moment. Never await the network inside. Reads run one at a time, in
   * call order.
   */
  read<Result>(work: (tx: Queryable) => Promise<Result>, kind?: TransactionKind): Promise<Result>;
  /** Reads temporary tables that an earlier read has filled: the snapshot is older than their rows. */
  readTemporary<Result>(work: (tx: Queryable) => Promise<Result>): Promise<Result>;
  /** Ends both connections. Never rejects; may be called twice. */
  close(): Promise<void>;
}

/**
 * A transaction that has read a table locks it until it ends, and Ponder replaces the triggers of its tables in a reorg:
 * it would wait for an export of minutes, and every other read would wait behind it. So one connection only exports its
 * snapshot (PostgreSQL: "Snapshot Synchronization Functions") and touches no table; each read is a transaction of its
 * own on the other one, which imports the snapshot.
 */
export async function openSnapshot({
  connectionString,
  settings,
  localSettings,
  queryable,
}: {
  readonly connectionString: string;
  readonly settings: string;
  readonly localSettings: Readonly<Record<TransactionKind, string>>;
  readonly queryable: (client: pg.ClientBase) => Queryable;
}): Promise<Snapshot> {
  const connect = async (): Promise<pg.Client> => {
    const client = new pg.Client({
      connectionString,
      application_name: "vitrine snapshot",
      connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
      statement_timeout: STATEMENT_TIMEOUT_MS,
      query_timeout: ANSWER_TIMEOUT_MS,
      ...CLIENT_KEEPALIVE,
    });
    // The next query reports a broken connection; without a listener, its event would end the process.
    client.on("error", () => undefined);
    await client.connect();
    return client;
  };
  const clients: pg.Client[] = [];
  const close = async (): Promise<void> => {
    await Promise.all(clients.splice(0).map((client) => client.end().catch(() => undefined)));
  };
  try {
    const holder = await connect();
    clients.push(holder);
    const reader = await connect();
    clients.push(reader);
    await holder.query(settings);
    await holder.query(
      "begin isolation level repeatable read read only; set idle_in_transaction_session_timeout = 0",
    );
    const { rows } = await holder.query<{ id: string }>("select pg_export_snapshot() as id");
    const id = pg.escapeLiteral(rows[0]?.id ?? "");
    await reader.query(settings);

    const runNow = async <Result>(
      begin: string,
      work: (tx: Queryable) => Promise<Result>,
    ): Promise<Result> => {
      try {
        await reader.query(begin);
        const result = await work(queryable(reader));
        await reader.query("commit");
        return result;
      } catch (error) {
        // Behind a statement whose answer never comes, a rollback would wait as long again.
        if (isDatabaseAway(error)) await reader.end().catch(() => undefined);
        else await reader.query("rollback").catch(() => undefined);
        throw error;
      }
    };
    let last: Promise<unknown> = Promise.resolve();
    const runInOrder = <Result>(begin: string, work: (tx: Queryable) => Promise<Result>): Promise<Result> => {
      const result = last.then(() => runNow(begin, work));
      last = result.catch(() => undefined);
      return result;
    };
    const imported = `begin isolation level repeatable read; set transaction snapshot ${id}`;
    return {
      read: (work, kind = "byKey") => runInOrder(`${imported}; ${localSettings[kind]}`, work),
      readTemporary: (work) => runInOrder(`begin; ${localSettings.byKey}`, work),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}
