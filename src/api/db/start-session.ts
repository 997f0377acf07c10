/** A connection of its own for what a start checks or reads before there is a pool. */

import pg from "pg";
import type { Queryable } from "./database.ts";

const ANSWER_TIMEOUT_MS = 5_000;

/** Not connected yet. Throws where the URL is malformed or names a file that can't be read. */
export function createStartClient(connectionString: string): pg.Client {
  const client = new pg.Client({
    connectionString,
    application_name: "vitrine start",
    connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
  });
  // The query reports the loss; without a listener, the event would end the process.
  client.on("error", () => undefined);
  return client;
}

/** Rejects with PostgreSQL's or the connection's error, after five seconds at the latest for each answer. */
export async function inStartSession<Result>(
  connectionString: string,
  work: (db: Queryable) => Promise<Result>,
): Promise<Result> {
  const client = createStartClient(connectionString);
  try {
    await client.connect();
    return await work({
      query: async <Row>(text: string, parameters: readonly unknown[] = []) =>
        (await client.query(text, [...parameters])).rows as Row[],
    });
  } finally {
    // What it ends with is already reported by the work.
    await client.end().catch(() => undefined);
  }
}
