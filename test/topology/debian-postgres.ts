/** A PostgreSQL of this machine's own packages, whose pg_dump is as new as its server; the embedded one has no pg_dump. */

import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { freePort } from "../../demo/service.ts";
import { eventually } from "../e2e/world.ts";

const INSTALLED = "/usr/lib/postgresql";
const START_MS = 30_000;

export interface DebianPostgres {
  readonly url: string;
  readonly port: number;
  query<Row>(sql: string): Promise<Row[]>;
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

/** A hot standby that streams from the primary, which then waits for it with every commit that may not be lost. */
export async function startStandby(primary: DebianPostgres): Promise<Standby> {
  const { folder, cluster, run } = makeHome();
  run("pg_basebackup", [
    ...["-D", cluster, "-h", "127.0.0.1", "-p", String(primary.port), "-U", "vitrine"],
    ...["--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync"],
  ]);
  const standby = await startCluster(folder, cluster);
  await primary.query("alter system set synchronous_standby_names = '*'");
  await primary.query("select pg_reload_conf()");
  await eventually(
    () => primary.query<{ sync_state: string }>("select sync_state from pg_stat_replication"),
    ([row]) => row?.sync_state === "sync",
  );
  return {
    ...standby,
    async promote() {
      // It is the only one left and waits for no other.
      await standby.query("alter system set synchronous_standby_names = ''");
      await standby.query("select pg_promote()");
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

async function startCluster(folder: string, cluster: string): Promise<DebianPostgres> {
  const port = await freePort();
  const settings = ["listen_addresses=127.0.0.1", "unix_socket_directories=", "max_connections=200"];
  const child: ChildProcess = spawn(
    join(findPrograms(), "postgres"),
    ["-D", cluster, "-p", String(port), ...settings.flatMap((setting) => ["-c", setting])],
    { ...account(), cwd: folder, stdio: "ignore" },
  );
  const url = `postgres://vitrine@127.0.0.1:${port}/postgres`;
  const deadline = Date.now() + START_MS;
  while (!(await answers(url))) {
    if (child.exitCode !== null || Date.now() > deadline) throw new Error("PostgreSQL did not start");
    await sleep(100);
  }
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
    async lose() {
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGQUIT");
        await once(child, "exit");
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Heroes, without the burned one's, and items of the demo's chain. */
const DEMO_TOKENS = 48 + 16;

/** Waits until every token of the demo's chain is read, and its pictures are probed. */
export async function untilRead({ query }: DebianPostgres): Promise<void> {
  await eventually(
    () =>
      query<{ unread: number; tokens: number; probes: number }>(
        `select count(*) filter (where last_outcome is null)::int as unread, count(*)::int as tokens,
                (select count(*)::int from vitrine.media where status = 'pending') as probes from vitrine.token`,
      ),
    ([row]) => row?.tokens === DEMO_TOKENS && row.unread === 0 && row.probes === 0,
  );
}

async function answers(url: string): Promise<boolean> {
  const client = new pg.Client({ connectionString: url });
  client.on("error", () => undefined);
  try {
    await client.connect();
    return true;
  } catch {
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}
