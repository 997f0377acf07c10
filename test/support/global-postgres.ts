/** One embedded PostgreSQL for the whole run; each test file makes a database of its own in it. */

import { chmodSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { TestProject } from "vitest/node";
import { joinEmbeddedPostgres, stopEmbeddedPostgres } from "../../src/api/store/embedded-postgres.ts";

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
  return () => client.end();
}
