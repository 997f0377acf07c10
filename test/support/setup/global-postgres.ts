/** One embedded PostgreSQL for the whole run; each test file creates its own database in it. */

import { rmSync } from "node:fs";
import pg from "pg";
import type { TestProject } from "vitest/node";
import { migrate } from "../../../src/api/db/migrate.ts";
import { joinEmbeddedPostgres, stopEmbeddedPostgres } from "../../../src/api/postgres/embedded-postgres.ts";
import { chainDdl } from "../chain/chain-ddl.ts";
import { makeFolder } from "../folder.ts";

/** The template of test files' databases: our tables and Ponder's. */
export const TEMPLATE = "vitrine_template";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

// Nothing outlives the run, so nothing has to reach the disk; and dropping a table looks through all buffers.
const SETTINGS = {
  fsync: "off",
  synchronous_commit: "off",
  full_page_writes: "off",
  shared_buffers: "64MB",
  // Each new database is written to the log in full, and the folder may be in memory.
  max_wal_size: "256MB",
};

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = makeFolder();
  await configure(folder);
  project.provide("postgresUrl", await joinEmbeddedPostgres(folder));
  // The database stops by itself when nobody is connected, and workers come and go.
  const keep = await keepAlive(folder);
  await makeTemplate(await joinEmbeddedPostgres(folder));
  return async () => {
    await keep();
    await stopEmbeddedPostgres(folder);
    rmSync(folder, { recursive: true, force: true });
  };
}

/** Leaves the server stopped, since `shared_buffers` needs a new start. */
async function configure(folder: string): Promise<void> {
  const client = new pg.Client({ connectionString: await joinEmbeddedPostgres(folder) });
  await client.connect();
  try {
    for (const [name, value] of Object.entries(SETTINGS))
      await client.query(`alter system set ${name} = '${value}'`);
    await client.query(`create database ${TEMPLATE}`);
  } finally {
    await client.end();
  }
  await stopEmbeddedPostgres(folder);
}

async function keepAlive(folder: string): Promise<() => Promise<void>> {
  const client = new pg.Client({ connectionString: await joinEmbeddedPostgres(folder) });
  client.on("error", (error) => console.error("The test database went away:", error.message));
  await client.connect();
  return () => client.end();
}

async function makeTemplate(server: string): Promise<void> {
  const url = new URL(server);
  url.pathname = `/${TEMPLATE}`;
  await migrate(url.href);
  const client = new pg.Client({ connectionString: url.href });
  await client.connect();
  await client.query(chainDdl());
  await client.end();
}
