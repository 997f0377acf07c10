/** Ponder as npm start and npm run dev both run it: environment, command, and a probe of its database. */

import { availableParallelism } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import pg from "pg";
import { singleFlight } from "../src/api/async/promise-cache.ts";
import { SUPERVISOR_SERVES } from "../src/api/chain/index/node-away.ts";
import { requireSchemaName } from "../src/api/chain/index/schema-name.ts";
import { say } from "../src/api/logging/say.ts";
import { databaseUrl } from "../src/api/postgres/database-url.ts";
import { BootError } from "../src/boot-error.ts";
import { loadEnvironment } from "./environment.ts";
import { createServingBundle, SERVING_BUNDLE } from "./serving-bundle.ts";
import { createSupervisor, type Supervisor } from "./supervisor.ts";

const PONDER = fileURLToPath(new URL("../node_modules/ponder/dist/esm/bin/ponder.js", import.meta.url));
/** The chain index's schema if DATABASE_SCHEMA is unset. */
export const DEFAULT_SCHEMA = "vitrine_chain";
// With Node's default of 16 MiB, garbage collection takes a sixth of a backfill's time, because its rows outlive it.
const YOUNG_MIB = 64;
// V8 takes what survived the start for what always survives, and allocates it among the old from then on. Whatever such
// objects name is then kept until the old are collected: nearly all of each request.
const PRETENURING = "--no-allocation-site-pretenuring";
// On few cores, the threads that collect a young generation together take time from PostgreSQL and from each other: a
// sweep is 1.15 times as fast with one.
const FEW_CORES = 2;
// Ponder's own use of node-postgres is one, at each start; an operator can act on none.
const QUIET = "--disable-warning=DeprecationWarning";
const PROBE_TIMEOUT_MS = 5_000;
// Twice the time that Ponder allows itself for shutdown.
const KILL_AFTER_MS = 10_000;
// A crash of one backend replaces every process but the first one. Roles that may not see the others get null here.
const START_TIMES_SQL = `
  select concat_ws(
    ' ',
    pg_postmaster_start_time(),
    (select backend_start from pg_stat_activity where backend_type = 'checkpointer')
  ) as started`;

/**
 * Reads .env.local and .env and supervises `ponder start` with these arguments. Throws a BootError where no schema can have
 * the name that they give it.
 */
export function createPonderSupervisor({
  schema,
  args,
  isDevelopment = false,
  servesWithoutNodes = false,
  stdout = process.stdout,
}: {
  schema: string;
  args: readonly string[];
  isDevelopment?: boolean;
  /** Has `ponder serve` serve the index, with the same arguments, while the indexer lacks a node. */
  servesWithoutNodes?: boolean;
  /** The destination of Ponder's own output. */
  stdout?: NodeJS.WriteStream;
}): Supervisor {
  loadEnvironment();
  process.env.DATABASE_SCHEMA ||= schema;
  // Ponder refuses some names before anything of ours is loaded, and doesn't say where they come from.
  requireSchemaName(schemaOf(args));
  // Ponder writes to a pipe here and would omit its colours.
  if (stdout.isTTY && !process.env.NO_COLOR) process.env.FORCE_COLOR ||= "1";

  const onLine = (line: string): void => say(line);
  const ponder = (command: string, args: readonly string[]): string[] => [
    ...memoryOptions(process.env.NODE_OPTIONS),
    QUIET,
    PONDER,
    command,
    ...args,
  ];
  return createSupervisor({
    command: process.execPath,
    args: ponder("start", args),
    env: {
      ...process.env,
      // Development loads the sources themselves, so that a change needs no bundle.
      [SERVING_BUNDLE]: isDevelopment ? undefined : process.env[SERVING_BUNDLE],
      [SUPERVISOR_SERVES]: servesWithoutNodes ? "1" : undefined,
    },
    prepare: isDevelopment ? undefined : bundleServing(onLine),
    probe: createPostgresProbe(() => databaseUrl(process.env), onLine),
    replica: servesWithoutNodes
      ? {
          args: ponder("serve", forReplica(args)),
          // Loaded when it is needed, with the RPC client that it takes.
          untilNodesAnswer: async (ended) => {
            const { untilNodesAnswer } = await import("./node-watch.ts");
            await untilNodesAnswer(ended, process.env, schemaOf(args), onLine);
          },
        }
      : undefined,
    // Loaded for a failed start alone, as it takes a while.
    findNext: async (schema) => {
      const { checkIndex } = await import("./index/check.ts");
      return (await checkIndex(process.cwd(), { ...process.env, DATABASE_SCHEMA: schema })).next?.schema;
    },
    isDevelopment,
    stdout,
    onLine,
    killAfterMs: KILL_AFTER_MS,
    drainMs: 1000 * (Number(process.env.DRAIN_SECONDS) || 0),
  });
}

/** `ponder serve` refuses the one option that only `ponder start` has. */
export const forReplica = (args: readonly string[]): string[] =>
  args.filter((arg, index) => !/^--views-schema(?:=|$)/.test(arg) && args[index - 1] !== "--views-schema");

/** As Ponder has it: the argument comes before the variable. */
function schemaOf(args: readonly string[]): string {
  const { values } = parseArgs({
    args: [...args],
    options: { schema: { type: "string" } },
    strict: false,
  });
  return typeof values.schema === "string" ? values.schema : (process.env.DATABASE_SCHEMA ?? "");
}

/** Has Ponder load one bundle of the serving half; without a bundle it transforms each file, which takes a second more. */
function bundleServing(onLine: (line: string) => void): () => Promise<NodeJS.ProcessEnv> {
  // Whoever starts many services bundles once.
  if (process.env[SERVING_BUNDLE]) return async () => ({});
  const bundle = createServingBundle();
  return async () => {
    try {
      const environment = await bundle.environment();
      // The supervisor reaches PostgreSQL first, and starts what keeps it.
      Object.assign(process.env, environment);
      return environment;
    } catch (error) {
      onLine(`The serving half can't be bundled, so it starts more slowly: ${reasonOf(error)}`);
      return {};
    }
  };
}

/** Node options for the memory of Ponder's process; without sizes if the operator has set the young generation's. */
export const memoryOptions = (nodeOptions = "", cores = availableParallelism()): readonly string[] =>
  /semi[-_]space/.test(nodeOptions)
    ? [PRETENURING]
    : [
        PRETENURING,
        `--min-semi-space-size=${YOUNG_MIB}`,
        `--max-semi-space-size=${YOUNG_MIB}`,
        ...(cores <= FEW_CORES ? ["--no-parallel-scavenge"] : []),
      ];

/**
 * Returns a text that changes when PostgreSQL restarts or recovers from a crash, and undefined while it is unreachable,
 * which it reports once. Uses a dedicated connection that reconnects when lost.
 */
export function createPostgresProbe(
  url: () => Promise<string>,
  onLine: (line: string) => void,
): () => Promise<string | undefined> {
  let client: pg.Client | undefined;
  let isOutageSaid = false;

  return singleFlight(async () => {
    try {
      client ??= await connect(await url());
      const { rows } = await client.query<{ started: string }>(START_TIMES_SQL);
      isOutageSaid = false;
      return rows[0]?.started;
    } catch (error) {
      // Ponder itself reports whatever keeps Vitrine from starting.
      if (!isOutageSaid && !(error instanceof BootError))
        onLine(`PostgreSQL can't be watched (${reasonOf(error)}); trying again.`);
      isOutageSaid = true;
      await client?.end();
      client = undefined;
      return undefined;
    }
  });
}

async function connect(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({
    connectionString,
    application_name: "vitrine supervisor",
    connectionTimeoutMillis: PROBE_TIMEOUT_MS,
    query_timeout: PROBE_TIMEOUT_MS,
  });
  // The next query fails too, and is handled; without a listener the loss would end the supervisor.
  client.on("error", () => undefined);
  await client.connect();
  return client;
}

// A refusal from several addresses at once has a code and an empty message.
const reasonOf = (error: unknown): string => {
  const { message, code } = error as NodeJS.ErrnoException;
  return message || code || String(error);
};
