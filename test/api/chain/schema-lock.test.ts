import { randomBytes } from "node:crypto";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import {
  lockSchema,
  lockSchemaForProcess,
  type SchemaLock,
} from "../../../src/api/chain/index/schema-lock.ts";
import { type ChainTables, chainTables } from "../../../src/api/chain/index/tables.ts";
import { BootError } from "../../../src/boot-error.ts";
import { createTestDatabase, type TestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";

let test: TestDatabase;
let schema: string;
let tables: ChainTables;
let lines: string[];
let taken: number;
const holds: SchemaLock[] = [];
beforeAll(async () => {
  test = await createTestDatabase();
});
beforeEach(async () => {
  schema = `chain_${randomBytes(4).toString("hex")}`;
  tables = chainTables(schema);
  lines = [];
  taken = 0;
  await test.database.query(
    `create schema ${schema}; create table ${tables.meta} (key text primary key, value jsonb not null)`,
  );
});
afterEach(async () => {
  vi.restoreAllMocks();
  for (const acquire of holds.splice(0)) await acquire.close();
});

const acquire = async (waitMs = 300, connectionString = test.url): Promise<SchemaLock> => {
  const lock = await lockSchemaForProcess({
    connectionString,
    schema,
    onLine: (line) => lines.push(line),
    onTaken: () => void taken++,
    waitMs,
  });
  holds.push(lock);
  return lock;
};
/** The row that Ponder writes when it takes its lock. */
const ponderLocks = (): Promise<unknown> =>
  test.database.query(
    `insert into ${tables.meta} values ('app', jsonb_build_object('is_locked', 1, 'heartbeat_at', $1::bigint))
     on conflict (key) do update set value = excluded.value`,
    [Date.now()],
  );
const isLocked = async (): Promise<boolean> => {
  const [row] = await test.database.query<{ locked: boolean }>(
    `select (value->>'is_locked')::int = 1 as locked from ${tables.meta} where key = 'app'`,
  );
  return row?.locked ?? false;
};
const start = async (): Promise<SchemaLock> => {
  const lock = await acquire();
  await ponderLocks();
  await lockSchema(test.database, tables, lock);
  return lock;
};
/** The session ends as it does when its process is killed: nothing is unlocked. */
const die = (lock: SchemaLock): Promise<void> => lock.close();
/** Ends the session of a process that keeps running. */
const cutOff = (lock: SchemaLock): Promise<unknown> =>
  test.database.query("select pg_terminate_backend(pid) from pg_stat_activity where application_name = $1", [
    `vitrine hold ${lock.token}`,
  ]);
const sessionsOf = (lock: SchemaLock): Promise<unknown[]> =>
  test.database.query(
    "select from pg_locks join pg_stat_activity using (pid) where application_name = $1 and locktype = 'advisory'",
    [`vitrine hold ${lock.token}`],
  );

describe("a lock on a schema", () => {
  it("that a dead process left is taken away, however fresh it is", async () => {
    await die(await start());
    expect(await isLocked()).toBe(true);

    await acquire();

    expect(await isLocked()).toBe(false);
    expect(lines).toEqual([
      `vitrine: process ${process.pid} on ${(await import("node:os")).hostname()} is gone; its lock on schema "${schema}" has been removed.`,
    ]);
  });

  it("of a process that lives is never taken away; a second process learns whose it is", async () => {
    await start();

    const refused = await acquire().catch((error: Error) => error);

    expect(refused).toBeInstanceOf(BootError);
    expect((refused as Error).message).toMatch(
      new RegExp(`^Schema "${schema}" is in use by another process \\(process ${process.pid} on .+\\); stop`),
    );
    expect(await isLocked()).toBe(true);
    expect(lines).toEqual([]);
  });

  it.each([-3_600_000, 3_600_000])("is waited for as long where the clock steps by %i ms", async (step) => {
    const living = await start();
    const real = Date.now;
    let steps = 0;
    vi.spyOn(Date, "now").mockImplementation(() => real() + step * steps++);
    const waiting = acquire(2_000).then(
      () => "taken",
      (error: Error) => error.message,
    );
    const early = await Promise.race([waiting, sleep(1_000)]);

    const late = await Promise.race([waiting, sleep(3_000)]);
    await die(living);

    expect(early).toBeUndefined();
    expect(late).toContain("is in use by another process");
  });

  it("of a process that has lost its session for a moment stays its own, even with another waiting for it", async () => {
    const living = await start();
    const second = acquire(2_500).catch((error: Error) => error);
    await sleep(100);

    await cutOff(living);

    expect(await second).toBeInstanceOf(BootError);
    expect(await isLocked()).toBe(true);
    await eventually(
      () => sessionsOf(living),
      (sessions) => sessions.length === 1,
    );
    expect(taken).toBe(0);
  });

  it("of a process of an older version, which leaves no mark, is left to Ponder", async () => {
    await ponderLocks();

    await acquire();

    expect(await isLocked()).toBe(true);
    expect(lines).toEqual([]);
  });

  it("stays as long as a statement of the dead process runs on", async () => {
    await die(await start());
    const last = new pg.Client({ connectionString: test.url, application_name: `${schema}_user` });
    await last.connect();
    const lock = acquire();
    await sleep(1_500);
    const during = await isLocked();

    await last.end();
    await lock;

    expect(during).toBe(true);
    expect(await isLocked()).toBe(false);
  });

  it("goes to one of two that start at the same moment, after a crash as well", async () => {
    await die(await start());

    const ends = await Promise.allSettled([acquire(), acquire(), acquire()]);

    expect(ends.map(({ status }) => status).sort()).toEqual(["fulfilled", "rejected", "rejected"]);
  });
});

it("a process whose schema another has taken while it was cut off is asked to exit", async () => {
  const old = await start();
  const blocker = new pg.Client({ connectionString: test.url });
  await blocker.connect();
  const key = `hashtextextended('vitrine index ' || '${schema}', 0)`;
  const waiting = blocker.query(`select pg_advisory_lock(${key})`);
  await sleep(50);
  await cutOff(old);
  await waiting;

  await lockSchema(test.database, tables, { token: "another", close: async () => undefined });

  await eventually(
    async () => taken,
    (times) => times === 1,
  );
  await blocker.end();
});

it("a process whose connection was cut without a word finds out that another has taken its schema", async () => {
  const { hostname, port } = new URL(test.url);
  let isCut = false;
  const sockets = new Set<Socket>();
  const proxy = createServer((socket) => {
    if (isCut) return void sockets.add(socket);
    const upstream = connect(Number(port), hostname);
    for (const [from, to] of [
      [socket, upstream],
      [upstream, socket],
    ] as const) {
      sockets.add(from);
      from.on("data", (data) => isCut || to.write(data));
      from.on("error", () => undefined);
    }
  });
  await new Promise<void>((done) => proxy.listen(0, "127.0.0.1", done));
  const url = new URL(test.url);
  url.host = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const old = await acquire(300, url.href);
  await ponderLocks();
  await lockSchema(test.database, tables, old);

  isCut = true;
  await cutOff(old);
  const next = await acquire(5_000);
  await ponderLocks();
  await lockSchema(test.database, tables, next);
  isCut = false;

  await eventually(
    async () => taken,
    (times) => times === 1,
  );
  for (const socket of sockets) socket.destroy();
  proxy.close();
}, 60_000);

it("a schema that holds no index yet is held all the same", async () => {
  schema = `${schema}_new`;
  await acquire();

  await expect(acquire()).rejects.toBeInstanceOf(BootError);
});
