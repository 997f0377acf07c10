/** A PostgreSQL of this machine's own packages, whose pg_dump is as new as its server; the embedded one has no pg_dump. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../../demo/service.ts";
import { postgresAnswers } from "../support/database/postgres-answers.ts";
import { eventually } from "../support/processes/world.ts";

const INSTALLED = "/usr/lib/postgresql";
const START_MS = 30_000;

export interface DebianPostgres {
  readonly url: string;
  readonly port: number;
  query<Row>(sql: string): Promise<Row[]>;
  /** Ends at once, as in a crash, and keeps its data. */
  crash(): Promise<void>;
  /** Starts again after a crash, at the same port. */
  restart(): Promise<void>;
  /** Ends at once, as in a crash, and its data is gone. */
  lose(): Promise<void>;
}

export interface Standby extends DebianPostgres {
  /** Makes it the primary; returns once it takes writes. */
  promote(): Promise<void>;
}

function findPrograms(): string {
  try {
    const [newest] = readdirSync(INSTALLED).sort((a, b) => Number(b) - Number(a));
    if (newest) return join(INSTALLED, newest, "bin");
  } catch {
    // Said below.
  }
  throw new Error("PostgreSQL is needed (apt-get install postgresql)");
}

/** PostgreSQL refuses to run as root. */
function account(): { uid?: number; gid?: number } {
  if (process.getuid?.() !== 0) return {};
  const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"]).toString());
  return { uid: id("-u"), gid: id("-g") };
}

/** An empty cluster of its own. */
export async function startDebianPostgres(): Promise<DebianPostgres> {
  const { folder, cluster, run } = makeHome();
  run("initdb", ["-D", cluster, "-U", "vitrine", "--auth=trust", "-E", "UTF8", "--no-sync"]);
  return startCluster(folder, cluster);
}

/**
 * A standby that streams from the primary, which then waits for it with every commit that may not be lost. A hot one can be
 * read; one that isn't refuses connections until it is promoted.
 */
export async function startStandby(primary: DebianPostgres, { isHot = true } = {}): Promise<Standby> {
  const { folder, cluster, run } = makeHome();
  run("pg_basebackup", [
    ...["-D", cluster, "-h", "127.0.0.1", "-p", String(primary.port), "-U", "vitrine"],
    ...["--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync"],
  ]);
  const states = (): Promise<{ sync_state: string }[]> =>
    primary.query("select sync_state from pg_stat_replication");
  const streams = async (): Promise<boolean> => (await states()).length > 0;
  const settings = isHot ? [] : ["hot_standby=off"];
  const standby = await startCluster(folder, cluster, settings, isHot ? postgresAnswers : streams);
  await primary.query("alter system set synchronous_standby_names = '*'");
  await primary.query("select pg_reload_conf()");
  await eventually(states, ([row]) => row?.sync_state === "sync");
  return {
    ...standby,
    async promote() {
      run("pg_ctl", ["promote", "-D", cluster, "--wait"]);
    },
  };
}

/** A folder that PostgreSQL's user may write, and its programs run as that user. */
function makeHome() {
  const programs = findPrograms();
  const folder = mkdtempSync(join(tmpdir(), "vitrine-debian-postgres-"));
  const user = account();
  if (user.uid !== undefined && user.gid !== undefined) chownSync(folder, user.uid, user.gid);
  const run = (program: string, args: readonly string[]): void =>
    void execFileSync(join(programs, program), args, { ...user, cwd: folder, stdio: "ignore" });
  return { folder, cluster: join(folder, "cluster"), run };
}

/** `isReady` says when it has started. */
async function startCluster(
  folder: string,
  cluster: string,
  more: readonly string[] = [],
  isReady: (url: string) => Promise<boolean> = postgresAnswers,
): Promise<DebianPostgres> {
  const port = await freePort();
  const settings = [
    ...["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200"],
    ...more,
  ];
  const url = `postgres://vitrine@127.0.0.1:${port}/postgres`;
  const start = async (): Promise<ChildProcess> => {
    const child = spawn(
      join(findPrograms(), "postgres"),
      ["-D", cluster, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
      { ...account(), cwd: folder, stdio: "ignore" },
    );
    const deadline = Date.now() + START_MS;
    while (!(await isReady(url))) {
      if (child.exitCode !== null || Date.now() > deadline) throw new Error("PostgreSQL did not start");
      await sleep(100);
    }
    return child;
  };
  let child = await start();
  const crash = async (): Promise<void> => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    child.kill("SIGQUIT");
    await once(child, "exit");
  };
  return {
    url,
    port,
    async query<Row>(sql: string) {
      const client = new pg.Client({ connectionString: url });
      await client.connect();
      try {
        return (await client.query(sql)).rows as Row[];
      } finally {
        await client.end();
      }
    },
    crash,
    async restart() {
      child = await start();
    },
    async lose() {
      await crash();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Heroes, the burned one among them, and items of the demo's chain. */
const DEMO_TOKENS = 48 + 16;

/**
 * Waits until every token of the demo's chain is read, and its pictures are probed. A connection that was lost on a busy
 * machine is no answer: the next attempt gets the host's.
 */
export async function untilRead({ query }: DebianPostgres): Promise<void> {
  await eventually(
    () =>
      query<{ unread: number; tokens: number; probes: number }>(
        `select count(*) filter (where last_outcome is null or last_reason like 'unreachable:%')::int as unread,
                count(*)::int as tokens,
                (select count(*)::int from vitrine.media where status = 'pending') as probes from vitrine.token`,
      ),
    ([row]) => row?.tokens === DEMO_TOKENS && row.unread === 0 && row.probes === 0,
  );
}
