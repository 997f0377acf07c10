import { beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../src/api/db/database.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createBarrier, createWorkerSetup, failingWhen } from "../../support/processes/worker.ts";
import { ask, emptyTables, found, readQueue } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database } = test;
const setup = createWorkerSetup(test);
const hero = (name: string) => ({ name, image: "https://img.example/1.png" });

beforeEach(() => emptyTables(database));

describe("a stop", () => {
  it("gives unfinished leases back, with no try used up, and resolves when nothing runs", async () => {
    await ask(database, ["1", "2"]);
    const { worker, calls } = setup.start(async ({ signal }) => {
      await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
      return found(hero("Hero"));
    });
    await eventually(
      () => calls.length,
      (count) => count === 2,
    );

    await worker.stop();

    expect(await readQueue(database)).toMatchObject([
      { lease: null, attempts: 0, done: 0 },
      { lease: null, attempts: 0, done: 0 },
    ]);
    expect(await database.query("select from vitrine.version")).toEqual([]);
  });

  it("gives leases back before a fetch that ignores it has come to an end", async () => {
    await ask(database, ["1"]);
    const { opened, open } = createBarrier();
    const { worker, calls } = setup.start(async () => {
      await opened;
      return found(hero("Hero"));
    });
    await eventually(
      () => calls.length,
      (count) => count === 1,
    );

    const stopped = worker.stop();
    await eventually(
      () => readQueue(database),
      ([row]) => row?.lease === null,
    );
    open();
    await stopped;
  });

  it("during a claim leaves no lease behind and fetches nothing", async () => {
    await ask(database, ["1"]);
    const { opened, open } = createBarrier();
    const claiming = createBarrier();
    const slow: Database = {
      ...database,
      async query<Row>(sql: string, parameters?: readonly unknown[]) {
        const rows = await database.query<Row>(sql, parameters);
        const isClaimed = (await readQueue(database)).some(({ lease }) => lease !== null);
        if (!isClaimed) return rows;
        claiming.open();
        await opened;
        return rows;
      },
    };
    const { worker, calls } = setup.start(() => found(hero("Hero")), { database: slow });
    await claiming.opened;

    const stopped = worker.stop();
    open();
    await stopped;

    expect(await readQueue(database)).toMatchObject([{ lease: null, done: 0 }]);
    expect(calls).toEqual([]);
  });

  it("is no failure while the database is away", async () => {
    await ask(database, ["1"]);
    let away = false;
    const { worker, calls } = setup.start(
      async ({ signal }) => {
        await new Promise<void>((resolve) => signal?.addEventListener("abort", () => resolve()));
        return found(hero("Hero"));
      },
      { database: failingWhen(database, () => away) },
    );
    await eventually(
      () => calls.length,
      (count) => count === 1,
    );

    away = true;

    await expect(worker.stop()).resolves.toBeUndefined();
  });
});
