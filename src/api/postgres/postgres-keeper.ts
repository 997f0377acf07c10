/** The keeper: a detached process that runs one embedded PostgreSQL and stops it when nobody uses it. */

import { execFileSync, type StdioOptions, spawn } from "node:child_process";
import { createHash, randomBytes } from "node:crypto";
import {
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  realpathSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { availableParallelism } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { readFreeBytes } from "../free-bytes.ts";
import { usableMemory } from "../usable-memory.ts";
import { JOIN_LOCK_KEY, KEEPER_NAME, type KeeperOrder, urlOf } from "./embedded-postgres.ts";
import { launch } from "./postgres-install.ts";
import { interrupt, lastPort, runningServer } from "./postgres-process.ts";
import { firstSettings } from "./postgres-settings.ts";

const PROBE_EVERY_MS = 1_000;
const POLL_MS = 25;
// The free port may be taken before PostgreSQL binds it.
const START_TRIES = 3;
// Backends that outlive a killed server exit within moments, and keep its shared memory until then.
const RETRY_PAUSE_MS = 500;
const SETTINGS = [
  "listen_addresses=127.0.0.1",
  // A socket's path is limited to 107 bytes; a data folder's is not.
  "unix_socket_directories=",
  // Enough for several indexers, replicas and test runs on one server. A process has a search thread per core but one.
  `max_connections=${Math.max(200, 40 * availableParallelism())}`,
  "timezone=UTC",
  "log_checkpoints=off",
];

// PostgreSQL logs to stderr, which is the log file already.
const LOG_ONLY: StdioOptions = ["ignore", "ignore", "inherit"];

const { files, install, idleMs }: KeeperOrder = JSON.parse(process.argv[2] ?? "");
const { cluster } = files;
const { account } = install;
const isRunning = (): boolean => runningServer(cluster) !== undefined;

if (await takeFolder()) {
  process.on("SIGTERM", () => {
    if (isRunning()) leave();
    else process.exit(0);
  });
  try {
    await keep();
  } finally {
    leave();
  }
}
process.exit(0);

/** Linux frees an abstract socket with its process, however that ends. Elsewhere PostgreSQL's lock file decides. */
function takeFolder(): Promise<boolean> {
  if (process.platform !== "linux") return Promise.resolve(true);
  const name = createHash("sha256").update(realpathSync(files.folder)).digest("hex");
  const lock = createServer();
  return new Promise((resolve, reject) => {
    lock.once("error", (error: NodeJS.ErrnoException) => {
      if (error.code === "EADDRINUSE") resolve(false);
      else reject(error);
    });
    lock.listen(`\0vitrine-postgres-${name}`, () => resolve(true));
  });
}

async function keep(): Promise<void> {
  if (!existsSync(cluster)) makeCluster(await readFreeBytes(files.folder));
  let session = await startServer();
  while (session) {
    await watch(session).catch((error: Error) =>
      console.error(`The keeper's session ended: ${error.message}`),
    );
    await session.end();
    // A crash of one backend ends every session but not the server.
    session = await connect(isRunning);
  }
}

function leave(): void {
  const server = runningServer(cluster);
  if (server) interrupt(server);
}

/** Created aside and renamed, so that an unfinished cluster is never taken for a finished one. */
function makeCluster(diskBytes: number | undefined): void {
  for (const name of readdirSync(files.folder)) {
    if (name.startsWith("postgres.new-")) rmSync(join(files.folder, name), { recursive: true });
  }
  const draft = `${cluster}.new-${process.pid}`;
  mkdirSync(draft, { mode: 0o700 });
  if (!existsSync(files.password)) {
    writeFileSync(`${draft}.password`, randomBytes(24).toString("hex"), { mode: 0o600 });
    renameSync(`${draft}.password`, files.password);
  }
  if (account) {
    for (const path of [draft, files.password]) chownSync(path, account.uid, account.gid);
  }

  const access = ["--username=vitrine", "--auth=scram-sha-256", `--pwfile=${files.password}`];
  // PostgreSQL's own C.UTF-8 sorts and folds case alike on every machine.
  const text = ["--encoding=UTF8", "--locale=C", "--locale-provider=builtin", "--builtin-locale=C.UTF-8"];
  const settings = firstSettings(usableMemory(), diskBytes).map((setting) => `--set=${setting}`);
  const make = (more: readonly string[]) =>
    run(install.initdb, [`--pgdata=${draft}`, ...access, ...text, ...more]);
  try {
    make(settings);
  } catch {
    // Its output is in the log. By itself, initdb goes by the memory that the machine grants; it has emptied the folder.
    make([]);
  }
  run(
    install.postgres,
    ["--single", "-D", draft, "-c", "log_checkpoints=off", "postgres"],
    "create database vitrine;\n",
  );
  renameSync(draft, cluster);
}

function run(program: string, args: readonly string[], input = ""): void {
  const { file, args: all, identity } = launch(install, program, args);
  execFileSync(file, all, { ...identity, cwd: files.folder, input, stdio: ["pipe", "ignore", "inherit"] });
}

async function startServer(): Promise<pg.Client | undefined> {
  const settings = SETTINGS.flatMap((setting) => ["-c", setting]);
  // Clients that survived a crash find the server at the same port.
  const portBefore = lastPort(cluster);
  for (let tries = 0; tries < START_TRIES; tries++) {
    if (isRunning()) return connect(isRunning);
    if (tries > 0) {
      await sleep(RETRY_PAUSE_MS);
      // On the first try PostgreSQL judges the file. It refuses if the id in it is any live process of its account.
      rmSync(join(cluster, "postmaster.pid"), { force: true });
    }
    const args = ["-D", cluster, "-p", String(await freePort(portBefore)), ...settings];
    const { file, args: all, identity } = launch(install, install.postgres, args);
    const server = spawn(file, all, { ...identity, cwd: files.folder, stdio: LOG_ONLY });
    const session = await connect(() => server.exitCode === null && server.signalCode === null);
    if (session) return session;
  }
  throw new Error(`PostgreSQL ended ${START_TRIES} times without taking a connection.`);
}

function freePort(preferred: number): Promise<number> {
  const probe = createServer();
  return new Promise((resolve, reject) => {
    probe.once("error", (error) => (preferred ? freePort(0).then(resolve, reject) : reject(error)));
    probe.listen(preferred, "127.0.0.1", () => {
      const { port } = probe.address() as AddressInfo;
      probe.close(() => resolve(port));
    });
  });
}

/** Opens a session once the server accepts one; undefined once the server has exited. */
async function connect(isThere: () => boolean): Promise<pg.Client | undefined> {
  while (isThere()) {
    const server = runningServer(cluster);
    const session = server && (await tryConnect(urlOf(files, server, "postgres")));
    if (session) return session;
    await sleep(POLL_MS);
  }
  return undefined;
}

async function tryConnect(connectionString: string): Promise<pg.Client | undefined> {
  const session = new pg.Client({ connectionString, application_name: KEEPER_NAME });
  // The session's user sees it fail; without a listener the loss would end the keeper.
  session.on("error", () => undefined);
  try {
    await session.connect();
    return session;
  } catch (error) {
    // A server that starts or stops refuses in many ways, all transient; a wrong password stays wrong.
    if ((error as { code?: string }).code?.startsWith("28")) throw error;
    return undefined;
  }
}

/** Runs until the session ends, and ends it once nobody has used the server for `idleMs`. */
async function watch(session: pg.Client): Promise<never> {
  const lost = new AbortController();
  session.once("end", () => lost.abort());
  let sessions = "";
  let quietSince = performance.now();
  for (;;) {
    await sleep(Math.min(PROBE_EVERY_MS, idleMs / 4), undefined, { signal: lost.signal });
    const use = await checkUse(session);
    if (use.clients > 0 || use.sessions !== sessions) quietSince = performance.now();
    sessions = use.sessions;
    if (performance.now() - quietSince >= idleMs && (await refuseUsers(session, sessions))) leave();
  }
}

/** Takes the join lock for good if nobody is joining; later clients find a stopping server. */
async function refuseUsers(session: pg.Client, sessions: string): Promise<boolean> {
  const { rows } = await session.query("select pg_try_advisory_lock($1) as taken", [JOIN_LOCK_KEY]);
  if (!rows[0]?.taken) return false;
  const use = await checkUse(session);
  if (use.clients === 0 && use.sessions === sessions) return true;
  await session.query("select pg_advisory_unlock($1)", [JOIN_LOCK_KEY]);
  return false;
}

/** Clients now, and sessions ever: a client may come and go between two checks. */
async function checkUse(session: pg.Client): Promise<{ clients: number; sessions: string }> {
  const clients = await session.query(
    "select from pg_stat_activity where backend_type = 'client backend' and pid <> pg_backend_pid()",
  );
  // In this order, because a session is counted before it leaves the list of clients.
  const { rows } = await session.query("select sum(sessions)::text as sessions from pg_stat_database");
  return { clients: clients.rowCount ?? 0, sessions: String(rows[0]?.sessions) };
}
