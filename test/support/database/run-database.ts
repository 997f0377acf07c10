/** Databases in the one PostgreSQL of the run. */

import { randomBytes } from "node:crypto";
import pg from "pg";
import { inject } from "vitest";

export interface RunDatabase {
  readonly url: string;
  /** Ends every session in it, and deletes it. */
  drop(): Promise<void>;
}

/** Creates a copy of a database of the run; an empty one by default. */
export async function createDatabaseOf(template = "template1"): Promise<RunDatabase> {
  const name = `test_${randomBytes(6).toString("hex")}`;
  const server = inject("postgresUrl");
  // The other strategy writes every page to the log, which takes twice as long.
  await runOn(server, `create database ${name} template ${template} strategy file_copy`);
  const url = new URL(server);
  url.pathname = `/${name}`;
  return { url: url.href, drop: () => runOn(server, `drop database ${name} with (force)`) };
}

async function runOn(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query(sql);
  await client.end();
}
