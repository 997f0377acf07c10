import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, readFileSync, rmdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
import pg from "pg";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { PassingBootError } from "../../../src/api/data-folder.ts";
import {
  joinEmbeddedPostgres,
  KEEPER_NAME,
  type KeeperOrder,
  stopEmbeddedPostgres,
} from "../../../src/api/postgres/embedded-postgres.ts";
import { findInstall } from "../../../src/api/postgres/postgres-install.ts";
import { runningServer } from "../../../src/api/postgres/postgres-process.ts";
import { BootError } from "../../../src/boot-error.ts";
import { makePrivateFolder } from "../../support/folder.ts";

const IDLE_MS = 400;
const KEEPER = fileURLToPath(new URL("../../../src/api/postgres/postgres-keeper.ts", import.meta.url));

let folder: string;
const clients: ChildProcess[] = [];

beforeEach(() => {
  folder = makePrivateFolder();
});

afterEach(async () => {
  for (const client of clients.splice(0)) client.kill("SIGKILL");
  await stopEmbeddedPostgres(folder);
  rmSync(folder, { recursive: true });
});

describe("an embedded PostgreSQL", () => {
  it("answers on a fresh folder, in UTF-8, to this machine only", async () => {
    const url = await joinEmbeddedPostgres(folder);

    const [row] = await query(
      url,
      "select 1 as one, current_setting('server_encoding') as encoding, inet_server_addr()",
    );

    expect(row).toEqual({ one: 1, encoding: "UTF8", inet_server_addr: "127.0.0.1" });
  });

  it("is made with PostgreSQL's own settings where ours can't be had, such as memory for the buffers", async () => {
    chmodSync(folder, 0o711);
    const cluster = join(folder, "postgres");
    const install = findInstall(cluster);
    const initdb = join(folder, "initdb");
    const refusal = 'case "$*" in *--set=*) echo "could not map anonymous shared memory" >&2; exit 1;; esac';
    writeFileSync(initdb, `#!/bin/sh\n${refusal}\nexec "${install.initdb}" "$@"\n`, { mode: 0o755 });
    const [password, log] = [join(folder, "postgres-password"), join(folder, "postgres.log")];
    const order: KeeperOrder = {
      files: { folder, cluster, password, log },
      install: { ...install, initdb },
      idleMs: 10_000,
    };
    const tsx = pathToFileURL(createRequire(import.meta.url).resolve("tsx")).href;
    const keeper = spawn(process.execPath, ["--import", tsx, KEEPER, JSON.stringify(order)], {
      stdio: "ignore",
    });
    clients.push(keeper);
    while (!serverOf(folder) && keeper.exitCode === null) await sleep(50);

    const [row] = await query(
      await joinEmbeddedPostgres(folder),
      "select current_setting('shared_buffers') as buffers, current_setting('max_wal_size') as wal",
    );

    expect(row).toEqual({ buffers: "128MB", wal: "1GB" });
  });

  it("works below a folder that only its owner may enter, as root's home is", async () => {
    const below = join(folder, "closed", "data");
    mkdirSync(below, { recursive: true });
    chmodSync(join(folder, "closed"), 0o700);

    const url = await joinEmbeddedPostgres(below);
    const [row] = await query(url, "select 1 as one");
    await stopEmbeddedPostgres(below);

    expect(row).toEqual({ one: 1 });
    expect(statSync(join(folder, "closed")).mode & 0o777).toBe(0o700);
  });

  it("opens with the folder's own password only, which nobody else can read", async () => {
    const url = new URL(await joinEmbeddedPostgres(folder));

    expect(statSync(join(folder, "postgres-password")).mode & 0o777).toBe(0o600);
    expect(url.password).toMatch(/^[0-9a-f]{48}$/);
    url.password = "vitrine";
    await expect(query(url.href, "select 1")).rejects.toThrow("password authentication failed");
  });

  it("is one and the same for four processes that start at once on a fresh folder", async () => {
    const joined = await Promise.all([1, 2, 3, 4].map(() => startClient()));

    const urls = joined.map(({ url }) => url);
    const starts = await Promise.all(
      urls.map((url) => query(url, "select pg_postmaster_start_time()::text as at")),
    );

    expect(new Set(urls).size).toBe(1);
    expect(new Set(starts.map(([row]) => row?.at)).size).toBe(1);
  });

  it("keeps its data over a stop and a start", async () => {
    await query(await joinEmbeddedPostgres(folder), "create table kept as select 7 as value");

    await stopEmbeddedPostgres(folder);

    expect(serverOf(folder)).toBeUndefined();
    expect(await query(await joinEmbeddedPostgres(folder), "select value from kept")).toEqual([{ value: 7 }]);
  });

  it("serves on when the process that started it is killed", async () => {
    const first = await startClient();
    const second = new pg.Client(await joinEmbeddedPostgres(folder));
    await second.connect();

    first.process.kill("SIGKILL");
    await once(first.process, "exit");

    const { rows } = await second.query("select 1 as one");
    expect(rows).toEqual([{ one: 1 }]);
    await second.end();
  });

  it("stays while a client is connected and ends by itself when the last has left", async () => {
    const client = new pg.Client(await joinEmbeddedPostgres(folder, { idleMs: IDLE_MS }));
    await client.connect();
    await sleep(IDLE_MS * 4);

    const { rows } = await client.query("select 1 as one");
    await client.end();

    expect(rows).toEqual([{ one: 1 }]);
    await untilGone();
  });

  it("ends by itself after its keeper was killed and somebody has joined since", async () => {
    const before = await joinEmbeddedPostgres(folder, { idleMs: IDLE_MS * 100 });
    process.kill(keeperOf(folder), "SIGKILL");
    await untilUnwatched(before);

    const url = await joinEmbeddedPostgres(folder, { idleMs: IDLE_MS });

    expect(await query(url, "select 1 as one")).toEqual([{ one: 1 }]);
    await untilGone();
  });
});

describe("a PostgreSQL that can't be joined for now", () => {
  const FULL = "could not write init file: No space left on device";

  it("because its server finds the disk full is refused at once with that, and joined once there is space", async () => {
    const url = await joinEmbeddedPostgres(folder);
    await refuseSessions(url, "disk_full", FULL);

    const refusal = await joinEmbeddedPostgres(folder).catch((error: unknown) => error);
    await admitSessions(url);

    expect(refusal).toBeInstanceOf(PassingBootError);
    expect(String(refusal)).toBe(
      `BootError: PostgreSQL in ${folder}/postgres refuses connections (53100: ${FULL}); the disk of ${folder} is full; free space there.`,
    );
    expect(await joinEmbeddedPostgres(folder)).toBe(url);
  });

  it("because the machine starts no process for it is refused at once with that, and joined once it does", async () => {
    const node = process.execPath;
    // As while an update replaces the packages, of which Node may be one.
    process.execPath = join(folder, "no-node");
    const refused = await joinEmbeddedPostgres(folder).catch((error: Error) => error);
    process.execPath = node;

    expect(refused).toBeInstanceOf(PassingBootError);
    expect((refused as Error).message).toMatch(
      /^PostgreSQL in .* can't be started \(spawn .*no-node ENOENT\)\.$/,
    );
    expect(await query(await joinEmbeddedPostgres(folder), "select 1 as one")).toEqual([{ one: 1 }]);
  });

  it("for another reason of its server's own is refused with that reason", async () => {
    await refuseSessions(await joinEmbeddedPostgres(folder), "out_of_memory", "out of memory");

    const refusal = await joinEmbeddedPostgres(folder, { patienceMs: 200 }).catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(PassingBootError);
    expect(String(refusal)).toBe(
      `BootError: PostgreSQL in ${folder}/postgres refuses connections (53200: out of memory); ${folder}/postgres.log may say more.`,
    );
  });

  it.each([
    [0, "can't run: the disk of FOLDER is full; free space there."],
    [1e9, "did not start; FOLDER/postgres.log says why."],
  ])("because it does not start, with %d bytes free on its disk, is refused: it %s", async (free, reason) => {
    await joinEmbeddedPostgres(folder);
    await stopEmbeddedPostgres(folder);
    writeFileSync(join(folder, "postgres", "postgresql.conf"), "no such = setting");

    const joining = joinEmbeddedPostgres(folder, { freeBytes: async () => free });
    const refusal = await joining.catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(PassingBootError);
    expect(String(refusal)).toBe(
      `BootError: PostgreSQL in ${folder}/postgres ${reason.replace("FOLDER", folder)}`,
    );
  });
});

describe("a data folder", () => {
  it("is recovered after a crash of the machine, at the same address", async () => {
    const before = await joinEmbeddedPostgres(folder);
    await query(before, "create table kept as select 7 as value");
    crash(folder);

    const after = await joinEmbeddedPostgres(folder);

    expect(after).toBe(before);
    expect(await query(after, "select value from kept")).toEqual([{ value: 7 }]);
  });

  it("is recovered when another process has got the crashed server's process id", async () => {
    await joinEmbeddedPostgres(folder);
    crash(folder);
    const { uid, gid } = statSync(join(folder, "postgres"));
    const other = spawn("sleep", ["600"], { uid, gid });
    const lockFile = join(folder, "postgres", "postmaster.pid");
    writeFileSync(lockFile, readFileSync(lockFile, "utf8").replace(/^\d+/, String(other.pid)));

    const rows = await query(await joinEmbeddedPostgres(folder), "select 1 as one");

    expect(rows).toEqual([{ one: 1 }]);
    other.kill();
  });

  it("made by another major version is refused with the way out", async () => {
    await joinEmbeddedPostgres(folder);
    await stopEmbeddedPostgres(folder);
    writeFileSync(join(folder, "postgres", "PG_VERSION"), "14\n");

    const refusal = await joinEmbeddedPostgres(folder).catch((error: unknown) => error);

    expect(refusal).toBeInstanceOf(BootError);
    expect(String(refusal)).toBe(
      `BootError: PostgreSQL in ${folder}/postgres is of version 14 and this one of version 18; set VITRINE_DATA to another folder, or move the data over with pg_dump.`,
    );
  });

  it("whose password was changed or lost is refused with the way out", async () => {
    await joinEmbeddedPostgres(folder);
    const passwordFile = join(folder, "postgres-password");

    writeFileSync(passwordFile, "another");
    const changed = await joinEmbeddedPostgres(folder).catch((error: unknown) => error);
    rmSync(passwordFile);
    const lost = await joinEmbeddedPostgres(folder).catch((error: unknown) => error);

    expect([changed, lost].map(String)).toEqual([wrongPassword(), wrongPassword()]);
  });

  it("whose password can't be read is refused with the file and the reason, before and after the first start", async () => {
    const passwordFile = join(folder, "postgres-password");

    mkdirSync(passwordFile);
    const first = await joinEmbeddedPostgres(folder).catch((error: unknown) => error);
    rmdirSync(passwordFile);
    await joinEmbeddedPostgres(folder);
    rmSync(passwordFile);
    mkdirSync(passwordFile);
    const later = await joinEmbeddedPostgres(folder).catch((error: unknown) => error);

    const refusal = `BootError: ${passwordFile} can't be read (EISDIR); start Vitrine as its owner or set VITRINE_DATA to another folder.`;
    expect([first, later].map(String)).toEqual([refusal, refusal]);
  });
});

const wrongPassword = (): string =>
  `BootError: PostgreSQL in ${folder}/postgres does not open with the password in ${folder}/postgres-password; put the right one back or set VITRINE_DATA to another folder.`;

const serverOf = (dataFolder: string) => runningServer(join(dataFolder, "postgres"));

async function query(url: string, sql: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    return (await client.query(sql)).rows;
  } finally {
    await client.end();
  }
}

/** Has the server answer new sessions of the database that is joined through with this error. */
const refuseSessions = (url: string, condition: string, message: string) =>
  query(
    ofPostgres(url),
    `create function refuse() returns event_trigger language plpgsql as
       $$begin raise '${message}' using errcode = '${condition}'; end$$;
     create event trigger refusing on login execute function refuse()`,
  );

const admitSessions = (url: string) =>
  query(`${ofPostgres(url)}?options=-cevent_triggers%3Doff`, "drop event trigger refusing");

const ofPostgres = (url: string): string => Object.assign(new URL(url), { pathname: "/postgres" }).href;

/** Another process that joins, prints its URL and stays connected until it is killed. */
async function startClient(): Promise<{ process: ChildProcess; url: string }> {
  const module = new URL("../../../src/api/postgres/embedded-postgres.ts", import.meta.url).href;
  const require = createRequire(import.meta.url);
  const script = `
    import pg from ${JSON.stringify(pathToFileURL(require.resolve("pg")).href)};
    import { joinEmbeddedPostgres } from ${JSON.stringify(module)};
    const url = await joinEmbeddedPostgres(${JSON.stringify(folder)});
    await new pg.Client(url).connect();
    console.log(url);
  `;
  const tsx = pathToFileURL(require.resolve("tsx")).href;
  const child = spawn(process.execPath, ["--import", tsx, "--input-type=module", "--eval", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  clients.push(child);
  const [url] = await Promise.race([once(child.stdout, "data"), once(child, "exit")]);
  return { process: child, url: String(url).trim() };
}

function keeperOf(dataFolder: string): number {
  const pid = serverOf(dataFolder)?.pid;
  return Number(execFileSync("ps", ["-o", "ppid=", "-p", String(pid)], { encoding: "utf8" }));
}

function crash(dataFolder: string): void {
  const server = serverOf(dataFolder);
  for (const pid of [keeperOf(dataFolder), Number(server?.pid)]) process.kill(pid, "SIGKILL");
}

/** PostgreSQL takes a moment to notice that a session's client was killed. */
async function untilUnwatched(url: string): Promise<void> {
  for (const start = Date.now(); ; await sleep(50)) {
    const keepers = await query(
      url,
      `select from pg_stat_activity where application_name = '${KEEPER_NAME}'`,
    );
    if (keepers.length === 0) return;
    if (Date.now() - start > 30_000) throw new Error(`The keeper's session in ${folder} is still there`);
  }
}

async function untilGone(): Promise<void> {
  for (const start = Date.now(); serverOf(folder); await sleep(50)) {
    if (Date.now() - start > 30_000) throw new Error(`PostgreSQL in ${folder} is still there`);
  }
}
