/** Keeps two commands from building the same chain index, or from using the same port, at the same time. */

import { hostname } from "node:os";
import pg from "pg";
import { CLIENT_KEEPALIVE, SERVER_KEEPALIVE } from "../../src/api/db/keepalive.ts";
import { NO_TIMEOUTS } from "../../src/api/db/session-settings.ts";
import { databaseUrl } from "../../src/api/postgres/database-url.ts";

export interface BuildLock {
  /** Ends the session, which releases the lock. */
  close(): Promise<void>;
}

export const schemaTaken = (schema: string): Error =>
  new Error(`another process indexes this code and these collections into schema "${schema}"`);

export const portTaken = (port: number, cause?: Error): Error =>
  new Error(`port ${port} is in use; pass a free one with --port`, { cause });

/**
 * Locks the schema, and the port on this machine, until `close` or the end of this process. Without it, a second command
 * would take the first one's service on the port for its own, and announce that. Throws a sentence that says what is
 * taken.
 */
export async function lockBuild(schema: string, port: number): Promise<BuildLock> {
  const session = new pg.Client({
    connectionString: await databaseUrl(process.env),
    application_name: "vitrine index beside",
    ...CLIENT_KEEPALIVE,
  });
  // When PostgreSQL restarts, the lock is lost. By then, the service has the schema and the port.
  session.on("error", () => undefined);
  await session.connect();
  try {
    await session.query(SERVER_KEEPALIVE);
    await session.query(NO_TIMEOUTS);
    if (!(await tryLock(session, `schema ${schema}`))) throw schemaTaken(schema);
    if (!(await tryLock(session, `port ${port} of ${hostname()}`))) throw portTaken(port);
  } catch (error) {
    await session.end();
    throw error;
  }
  return { close: () => session.end() };
}

async function tryLock(session: pg.Client, what: string): Promise<boolean> {
  const { rows } = await session.query<{ isMine: boolean }>(
    "select pg_try_advisory_lock(hashtextextended('vitrine index beside ' || $1, 0)) as \"isMine\"",
    [what],
  );
  return rows[0]?.isMine ?? false;
}
