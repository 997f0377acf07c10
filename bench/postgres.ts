/** The PostgreSQL of a bench, which cleanup.ts stops. */

import { execFile } from "node:child_process";
import { chmodSync, existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { joinEmbeddedPostgres, stopEmbeddedPostgres } from "../src/api/postgres/embedded-postgres.ts";

// Nobody is connected while a chain is filled, which takes longer on a slow machine.
const IDLE_MS = 600_000;
const PREPARED = "VITRINE_BENCH_POSTGRES";

/**
 * Makes a PostgreSQL for several benches to copy: initdb takes two to three times as long. Returns the variable by which
 * they find it. Its folder is removed when this process exits.
 */
export async function preparePostgres(): Promise<NodeJS.ProcessEnv> {
  const folder = mkdtempSync(join(tmpdir(), "vitrine-bench-"));
  process.on("exit", () => rmSync(folder, { recursive: true, force: true }));
  // PostgreSQL refuses to run as root, and its own user must reach its folder in this one.
  chmodSync(folder, 0o711);
  await joinEmbeddedPostgres(folder);
  await stopEmbeddedPostgres(folder);
  return { [PREPARED]: folder };
}

/** Starts a PostgreSQL in this folder, a copy of the prepared one if there is one; joins it if it runs. Returns its URL. */
export async function joinPostgres(folder: string): Promise<string> {
  const prepared = process.env[PREPARED];
  if (prepared !== undefined && !existsSync(join(folder, "postgres")))
    await promisify(execFile)("cp", ["-a", `${prepared}/.`, folder]);
  return joinEmbeddedPostgres(folder, { idleMs: IDLE_MS });
}
