/** The embedded PostgreSQL: one real server per data folder, shared by every process that uses the folder. */

import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, existsSync, openSync, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import pg from "pg";
import { BootError } from "../../boot-error.ts";
import { makeDataFolder, PassingBootError, readKept, unwritable } from "../data-folder.ts";
import { readFreeBytes } from "../free-bytes.ts";
import { programArguments } from "../jobs/program.ts";
import { findInstall, type PostgresInstall } from "./postgres-install.ts";
import { interrupt, type RunningServer, runningServer } from "./postgres-process.ts";

// Outlasts a restart of the last client, which takes seconds.
const IDLE_MS = 10_000;
// A first start takes about two seconds; a loaded machine gets thirty times that.
const PATIENCE_MS = 60_000;
const ANSWER_TIMEOUT_MS = 5_000;
// A keeper that lost the race exits at once; an immediate retry would only slow the winner.
const KEEPER_PAUSE_MS = 1_000;
const POLL_MS = 25;
// PostgreSQL can't start or recover without room for one more segment of its log of changes.
const FREE_BYTES_MIN = 16 * 1024 * 1024;
const WRONG_PASSWORD = "28P01";
const CANNOT_CONNECT_NOW = "57P03";
const DISK_FULL = "53100";

/** Application name of the keeper's session, so that a joining process notices a server without a keeper. */
export const KEEPER_NAME = "vitrine keeper";
/** Locked shared while a process joins, exclusively while the keeper stops: no process joins a stopping server. */
export const JOIN_LOCK_KEY = 5_190_332;

export interface EmbeddedPostgresFiles {
  readonly folder: string;
  readonly cluster: string;
  readonly password: string;
  readonly log: string;
}

/** The keeper's command-line argument. */
export interface KeeperOrder {
  readonly files: EmbeddedPostgresFiles;
  readonly install: PostgresInstall;
  readonly idleMs: number;
}

export interface JoinOptions {
  readonly idleMs?: number;
  /** How long a server may give no sign of progress. */
  readonly patienceMs?: number;
  readonly freeBytes?: (folder: string) => Promise<number | undefined>;
}

/** An error is the server's own answer. */
type State = "absent" | "silent" | "starting" | "unwatched" | "ready" | pg.DatabaseError;

/**
 * The URL of a working database in this data folder. Starts the server if none runs there and joins it otherwise,
 * however many processes ask at once. The server stops `idleMs` after its last client has left. Throws a BootError when
 * the folder can't be used; a PassingBootError where it may be usable later.
 */
export async function joinEmbeddedPostgres(
  dataFolder: string,
  { idleMs = IDLE_MS, patienceMs = PATIENCE_MS, freeBytes = readFreeBytes }: JoinOptions = {},
): Promise<string> {
  const files = filesOf(dataFolder);
  makeDataFolder(dataFolder);
  requireOpen(files);

  let keeper: ChildProcess | undefined;
  let keeperStarted = 0;
  let keeperFault: Error | undefined;
  let lastSign = performance.now();
  let state: State = "absent";
  while (performance.now() - lastSign < patienceMs) {
    const server = runningServer(files.cluster);
    state = server ? await ask(files, server) : "absent";

    // Replaying the log after a crash may take minutes; the server reports it throughout.
    if (state === "starting") lastSign = performance.now();
    if (isDiskFull(state)) break;
    if (keeperFault) throw notStarted(files, keeperFault);
    if (keeper?.exitCode) throw await notJoined(files, freeBytes, `did not start; ${files.log} says why.`);
    const isKeeperDue = !keeper || (hasEnded(keeper) && performance.now() - keeperStarted > KEEPER_PAUSE_MS);
    if (isKeeperDue && (state === "absent" || state === "unwatched")) {
      keeper = startKeeper(dataFolder, idleMs, (cause) => {
        keeperFault = cause;
      });
      keeperStarted = performance.now();
    }

    if (server && (state === "ready" || state === "unwatched")) return urlOf(files, server, "vitrine");
    await sleep(POLL_MS);
  }
  if (typeof state === "object") throw refused(files, state);
  throw await notJoined(
    files,
    freeBytes,
    "does not answer: another process uses the folder; stop it or set VITRINE_DATA to another folder.",
  );
}

const isDiskFull = (state: State): boolean => typeof state === "object" && state.code === DISK_FULL;

function refused({ folder, cluster, log }: EmbeddedPostgresFiles, cause: pg.DatabaseError): BootError {
  const { message, code } = cause;
  const remedy = isDiskFull(cause)
    ? `the disk of ${folder} is full; free space there.`
    : `${log} may say more.`;
  return new PassingBootError(
    `PostgreSQL in ${cluster} refuses connections (${code}: ${message}); ${remedy}`,
    { cause },
  );
}

/** As without memory for a process, or while an update replaces the packages, of which Node may be one. */
const notStarted = ({ cluster }: EmbeddedPostgresFiles, cause: Error): BootError =>
  new PassingBootError(`PostgreSQL in ${cluster} can't be started (${cause.message}).`, { cause });

/** PostgreSQL's log is on the same disk, and says nothing where that is full. */
async function notJoined(
  { folder, cluster }: EmbeddedPostgresFiles,
  freeBytes: NonNullable<JoinOptions["freeBytes"]>,
  otherwise: string,
): Promise<BootError> {
  const isFull = ((await freeBytes(folder)) ?? FREE_BYTES_MIN) < FREE_BYTES_MIN;
  return new PassingBootError(
    isFull
      ? `PostgreSQL in ${cluster} can't run: the disk of ${folder} is full; free space there.`
      : `PostgreSQL in ${cluster} ${otherwise}`,
  );
}

/** Stops the server of this data folder now, if one runs, and waits until it has exited. */
export async function stopEmbeddedPostgres(dataFolder: string): Promise<void> {
  const { cluster } = filesOf(dataFolder);
  const server = runningServer(cluster);
  if (!server) return;
  interrupt(server);
  for (const start = performance.now(); runningServer(cluster)?.pid === server.pid; ) {
    if (performance.now() - start > PATIENCE_MS) {
      throw new BootError(`PostgreSQL in ${cluster} does not stop; end its process ${server.pid} by hand.`);
    }
    await sleep(POLL_MS);
  }
}

/** The URL of one of the server's databases. */
export function urlOf(
  { password }: EmbeddedPostgresFiles,
  { port }: RunningServer,
  database: string,
): string {
  return `postgresql://vitrine:${readKept(password)}@127.0.0.1:${port}/${database}`;
}

function filesOf(folder: string): EmbeddedPostgresFiles {
  return {
    folder,
    cluster: join(folder, "postgres"),
    password: join(folder, "postgres-password"),
    log: join(folder, "postgres.log"),
  };
}

function requireOpen({ cluster, password }: EmbeddedPostgresFiles): void {
  const isMade = existsSync(cluster);
  const self = process.getuid?.() ?? 0;
  if (isMade && self !== 0 && statSync(cluster).uid !== self) {
    throw new BootError(
      `PostgreSQL in ${cluster} belongs to another account; start Vitrine as that one or set VITRINE_DATA to another folder.`,
    );
  }
  if (existsSync(password)) readKept(password);
  else if (isMade) throw wrongPassword(cluster, password);
}

const wrongPassword = (cluster: string, password: string): BootError =>
  new BootError(
    `PostgreSQL in ${cluster} does not open with the password in ${password}; put the right one back or set VITRINE_DATA to another folder.`,
  );

async function ask(files: EmbeddedPostgresFiles, server: RunningServer): Promise<State> {
  const client = new pg.Client({
    connectionString: urlOf(files, server, "postgres"),
    connectionTimeoutMillis: ANSWER_TIMEOUT_MS,
    query_timeout: ANSWER_TIMEOUT_MS,
  });
  // A lost connection also rejects the query in progress, which is where it is handled.
  client.on("error", () => undefined);
  try {
    await client.connect();
    await client.query("select pg_advisory_lock_shared($1)", [JOIN_LOCK_KEY]);
    const keepers = await client.query("select from pg_stat_activity where application_name = $1", [
      KEEPER_NAME,
    ]);
    return keepers.rowCount ? "ready" : "unwatched";
  } catch (error) {
    if (!(error instanceof pg.DatabaseError)) return "silent";
    if (error.code === WRONG_PASSWORD) throw wrongPassword(files.cluster, files.password);
    return error.code === CANNOT_CONNECT_NOW ? "starting" : error;
  } finally {
    await client.end();
  }
}

/** Throws, or calls `onFault` later, where the machine starts no process. */
function startKeeper(dataFolder: string, idleMs: number, onFault: (cause: Error) => void): ChildProcess {
  const files = filesOf(dataFolder);
  const install = findInstall(files.cluster);
  const order: KeeperOrder = { files: filesOf(resolve(dataFolder)), install, idleMs };

  const script = join(dirname(fileURLToPath(import.meta.url)), "postgres-keeper.ts");
  const log = openLog(files);
  try {
    const keeper = spawn(process.execPath, [...programArguments(script), JSON.stringify(order)], {
      cwd: dirname(script),
      detached: true,
      stdio: ["ignore", log, log],
      // It outlives its caller, so it inherits neither the caller's secrets nor its PG… and NODE_OPTIONS.
      env: { PATH: process.env.PATH, TMPDIR: process.env.TMPDIR, LC_ALL: "C" },
    });
    // Without a listener, it would end the caller.
    keeper.on("error", onFault);
    keeper.unref();
    return keeper;
  } catch (cause) {
    throw notStarted(files, cause as Error);
  } finally {
    closeSync(log);
  }
}

function openLog({ folder, log }: EmbeddedPostgresFiles): number {
  try {
    return openSync(log, "a", 0o600);
  } catch (cause) {
    throw unwritable(folder, cause as Error);
  }
}

const hasEnded = (child: ChildProcess): boolean => child.exitCode !== null || child.signalCode !== null;
