/** Builds a new chain index beside the one in service, then keeps running as the new service. */

import { spawn } from "node:child_process";
import { once } from "node:events";
import type { Freshness } from "../../src/api/app/health.ts";
import { requireFreePort } from "../../src/api/boot.ts";
import { createIndexHeads } from "../../src/api/chain/index/index-heads.ts";
import { missingServingIndexes } from "../../src/api/chain/index/serving-indexes.ts";
import { chainTables } from "../../src/api/chain/index/tables.ts";
import { loadServingConfig } from "../../src/api/config.ts";
import { loadIndexConfig } from "../../src/config.ts";
import { createPonderSupervisor } from "../ponder-process.ts";
import { lockBuild, portTaken, schemaTaken } from "./build-lock.ts";
import { checkIndex, type IndexCheck, withDatabase } from "./check.ts";
import { untilCaughtUp } from "./progress.ts";

const PORT_MAX = 65_535;
const FRESHNESS_TIMEOUT_MS = 5_000;

export interface BesideOptions {
  /** PORT + 1 when absent. */
  readonly port?: number | undefined;
  /** A shell command that redirects the requests; its environment has the new service's DATABASE_SCHEMA and PORT. */
  readonly then?: string | undefined;
  /** Progress, one sentence at a time. */
  readonly onLine: (line: string) => void;
  /** Called once, when the new service may take over and before `then` runs. */
  readonly onReady: (service: { schema: string; port: number }) => void;
}

/**
 * Runs until the new service is stopped. Returns the exit code: at least 1 if it ended before it was ready. The old
 * chain index and its service are never changed. Throws when there is nothing to build, the port is taken, or another
 * process already builds the same.
 */
export async function buildBeside({
  port: requestedPort,
  then,
  onLine,
  onReady,
}: BesideOptions): Promise<number> {
  const port = requestedPort ?? loadServingConfig(process.env).port + 1;
  if (requestedPort === undefined && port > PORT_MAX)
    throw new Error(`PORT is ${PORT_MAX}, and no port comes after it; pass another one with --port`);
  await requireFreePort(port).catch((cause: Error) => {
    const { code } = cause.cause as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") throw portTaken(port, cause);
    throw new Error(`port ${port} can't be listened on (${code}); pass another one with --port`, { cause });
  });
  // Takes seconds, unlike the port.
  const check = await checkIndex(process.cwd(), process.env);
  const schema = schemaToBuild(check);
  const lock = await lockBuild(schema, port);
  for (const reason of check.reasons) onLine(reason);
  onLine(`building schema "${schema}" on port ${port}; what serves schema "${check.schema}" goes on`);

  process.env.DATABASE_SCHEMA = schema;
  process.env.PORT = String(port);
  const supervisor = createPonderSupervisor({ schema, args: [], stdout: process.stderr });
  const ended = new AbortController();
  let isReady = false;
  const takeOver = async (): Promise<void> => {
    isReady = await waitFor({ old: check.schema, new: schema }, port, onLine, ended.signal);
    if (!isReady) return;
    onLine(`schema "${schema}" is ready and caught up, and port ${port} serves it`);
    onReady({ schema, port });
    if (then) await run(then, onLine);
    onLine(
      `this process is the new service: stop the old one, and have the next npm start find DATABASE_SCHEMA=${schema} and PORT=${port}`,
    );
  };
  takeOver().catch((error: Error) => onLine(`the new index can't be watched (${error.message})`));

  const code = await supervisor.run().finally(() => lock.close());
  ended.abort();
  if (isReady) return code;
  onLine(
    `ended before schema "${schema}" was ready; the old service has lost nothing, and the same command goes on from here`,
  );
  return code || 1;
}

function schemaToBuild({ verdict, schema, next }: IndexCheck): string {
  if (verdict === "first")
    throw new Error(`schema "${schema}" holds no index to build beside; npm start builds the first`);
  if (!next)
    throw new Error(
      `schema "${schema}" holds the index of this code and these collections; npm start resumes it`,
    );
  if (next.state === "in_use") throw schemaTaken(next.schema);
  return next.schema;
}

function waitFor(
  schemas: { readonly old: string; readonly new: string },
  port: number,
  onLine: (line: string) => void,
  signal: AbortSignal,
): Promise<boolean> {
  return withDatabase(process.env, async (database) => {
    const old = database && createIndexHeads(database, chainTables(schemas.old));
    return untilCaughtUp({
      chainIds: [...new Set(loadIndexConfig(process.env).collections.map(({ chainId }) => chainId))],
      async freshness() {
        const timeout = AbortSignal.timeout(FRESHNESS_TIMEOUT_MS);
        const response = await fetch(`http://localhost:${port}/freshness`, { signal: timeout });
        if (!response.ok) throw new Error(`/freshness answered ${response.status}`);
        return (await response.json()) as Freshness;
      },
      oldHeads: async () => new Map((await old?.read())?.map(({ chainId, block }) => [chainId, block])),
      // Without them, the first requests would read whole tables.
      missingIndexes: async () => (database ? missingServingIndexes(database, schemas.new) : 0),
      onLine,
      signal,
    });
  });
}

/** The command's output goes to stderr: stdout is for the result. */
async function run(command: string, onLine: (line: string) => void): Promise<void> {
  const shell = spawn(command, { shell: true, stdio: ["ignore", process.stderr, process.stderr] });
  const [code, signal] = await once(shell, "exit");
  if (code !== 0)
    onLine(`"${command}" ended with ${code ?? signal}: requests may still go to the old service; both go on`);
}
