/** One embedded PostgreSQL for the whole run; each test file makes a database of its own in it. */

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { joinEmbeddedPostgres, stopEmbeddedPostgres } from "../../src/api/store/embedded-postgres.ts";
import { migrate } from "../../src/api/store/migrate.ts";

/** What the databases of test files are copies of. */
export const TEMPLATE = "vitrine_template";

declare module "vitest" {
  interface ProvidedContext {
    postgresUrl: string;
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-test-"));
  // PostgreSQL refuses to run as root, and its own user has to reach the folder.
  chmodSync(folder, 0o711);
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

async function keepAlive(folder: string): Promise<() => Promise<void>> {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: await joinEmbeddedPostgres(folder) });
  client.on("error", (error) => console.error("The test database went away:", error.message));
  await client.connect();
  // Nothing in it outlives the run, so it need not reach the disk.
  for (const setting of ["fsync", "synchronous_commit", "full_page_writes"])
    await client.query(`alter system set ${setting} = off`);
  await client.query("select pg_reload_conf()");
  await client.query(`create database ${TEMPLATE}`);
  return () => client.end();
}

async function makeTemplate(server: string): Promise<void> {
  const url = new URL(server);
  url.pathname = `/${TEMPLATE}`;
  await migrate(url.href);
}
