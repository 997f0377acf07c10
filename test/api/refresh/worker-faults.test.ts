import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../src/api/db/database.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { complete } from "../../../src/api/refresh/queue/leases.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createBarrier, createWorkerSetup, failingWhen } from "../../support/processes/worker.ts";
import {
  ask,
  claimOne,
  createFakeResolve,
  emptyTables,
  failed,
  found,
  makeDue,
  passSeconds,
  readQueue,
} from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database } = test;
const setup = createWorkerSetup(test);
const hero = (name: string) => ({ name, image: "https://img.example/1.png" });

const unhandled: unknown[] = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));

beforeEach(() => emptyTables(database));
afterEach(() => {
  expect(unhandled).toEqual([]);
});

describe("a worker that lost its lease", () => {
  it("records nothing: no version, no trait, no end of a request", async () => {
    await setup.knowTokens("1");
    const receipt = await setup.request(["1"]);
    const { opened, open } = createBarrier();
    const { calls, log } = setup.start(async () => {
      await opened;
      return found({ ...hero("Late"), attributes: [{ trait_type: "Class", value: "Mage" }] });
    });
    await eventually(
      () => calls.length,
      (count) => count === 1,
    );
    await database.query("update vitrine.refresh set lease = gen_random_uuid()");

    open();
    await eventually(
      () => log,
      (entries) => entries.some(({ msg }) => msg.includes("lost its lease")),
    );

    expect(await database.query("select from vitrine.version")).toEqual([]);
    expect(await database.query("select from vitrine.trait_type")).toEqual([]);
    expect(await database.query("select from vitrine.document")).toEqual([]);
    expect((await setup.receipt(receipt))?.tokens).toMatchObject([{ status: "fetching" }]);
    expect(await readQueue(database)).toMatchObject([{ requested: 1, done: 0 }]);
  });
});

describe("a fault of ours", () => {
  it("in the resolver ends neither the worker nor the request", async () => {
    await setup.knowTokens("1");
    const receipt = await setup.request(["1"]);
    const { worker, log } = setup.start(({ nth }) => {
      if (nth === 1) throw new Error("a bug");
      return found(hero("Hero"));
    });
    await eventually(
      () => log,
      (entries) => entries.some(({ level }) => level === "error"),
    );
    expect((await setup.receipt(receipt))?.done).toBe(false);

    await passSeconds(database, 20);
    worker.wake();

    expect((await setup.done(receipt))?.tokens).toMatchObject([{ status: "updated" }]);
  });

  it("in the database is waited out, and the token is tried again", async () => {
    const receipt = await setup.request(["1"]);
    let away = true;
    const { log } = setup.start(() => found(hero("Hero")), { database: failingWhen(database, () => away) });
    await eventually(
      () => log,
      (entries) => entries.some(({ level }) => level === "warn"),
    );

    away = false;

    expect((await setup.done(receipt))?.tokens).toMatchObject([{ status: "updated" }]);
  });

  it("when recording keeps nothing of the fetch, and the token is tried again", async () => {
    const receipt = await setup.request(["1"]);
    let failures = 1;
    const flaky: Database = {
      ...database,
      transaction: (work) =>
        database.transaction(async (tx) => {
          const result = await work(tx);
          if (failures-- > 0) throw new Error("the connection was lost");
          return result;
        }),
    };
    const { worker, log } = setup.start(() => found(hero("Hero")), { database: flaky });
    await eventually(
      () => log,
      (entries) => entries.some(({ level }) => level === "error"),
    );
    expect(await database.query("select from vitrine.version")).toEqual([]);

    await passSeconds(database, 20);
    worker.wake();

    expect((await setup.done(receipt))?.tokens).toMatchObject([{ status: "updated" }]);
    expect(await database.query("select from vitrine.version")).toHaveLength(1);
  });

  it("that comes back at every try ends the request after five, and says so", async () => {
    await setup.knowTokens("1");
    const receipt = await setup.request(["1"]);
    await database.query("update vitrine.refresh set attempts = 4");
    const { resolve } = createFakeResolve(() => found(hero("Hero")));
    const broken = {
      ...createMetadata({ resolve, tables: test.tables }),
      recordAll: async () => {
        throw new Error("a row that the database refuses");
      },
    };

    setup.start(() => found(hero("Hero")), { metadata: broken });

    expect((await setup.done(receipt))?.tokens).toMatchObject([
      { status: "failed", reason: expect.stringContaining("internal_error") },
    ]);
  });

  it("in finding the block is a fault of the node: the request waits for it", async () => {
    await setup.knowTokens("1");
    const receipt = await setup.request(["1"]);
    setup.start(() => found(hero("Hero")), {
      readBlock: () => Promise.reject(new Error("connect ECONNREFUSED 10.0.0.1")),
    });

    const waiting = await eventually(
      () => setup.receipt(receipt),
      (each) => each?.tokens[0]?.reason != null,
    );

    expect(waiting?.tokens[0]?.reason).toMatch(/^rpc_unavailable: .*trying again$/);
    expect(waiting?.tokens[0]?.reason).not.toContain("10.0.0.1");
  });
});

describe("an idle worker", () => {
  it("rests: it asks the database nothing between its polls", async () => {
    let queries = 0;
    const counting: Database = {
      ...database,
      query: (sql, parameters) => {
        queries++;
        return database.query(sql, parameters);
      },
    };
    setup.start(() => found(hero("Hero")), { database: counting });
    await eventually(
      () => queries,
      (count) => count >= 2,
    );

    await sleep(500);

    expect(queries).toBeLessThan(10);
  });
});

it("keeps the lease of a fetch that takes long", async () => {
  await ask(database, ["1"]);
  const { opened, open } = createBarrier();
  const { calls } = setup.start(async () => {
    await opened;
    return found(hero("Hero"));
  });
  await eventually(
    () => calls.length,
    (count) => count === 1,
  );
  const leasedUntil = async () =>
    (await database.query<{ at: Date }>("select leased_until as at from vitrine.refresh"))[0]?.at.getTime() ??
    0;
  const before = await leasedUntil();

  await eventually(leasedUntil, (at) => at > before);

  open();
  await eventually(
    () => readQueue(database),
    ([row]) => row?.done === 1,
  );
  await expect(claimOne(test).then((lease) => complete(database, [lease]))).rejects.toThrow(
    "0 tokens are due",
  );
});

describe("a call that the node refuses each time", () => {
  it("ends a request as any other fault does, though a node that is away never would", async () => {
    await setup.knowTokens("1", "2");
    const receipt = await setup.request(["1", "2"]);
    const refused = failed("rpc_unavailable", { transient: true });
    const { worker } = setup.start(({ tokenId }) =>
      tokenId === "1" ? { ...refused, nodeAnswered: true } : refused,
    );
    const { tokens } = await eventually(
      async () => {
        await makeDue(database);
        worker.wake();
        return (await setup.receipt(receipt)) ?? { tokens: [] };
      },
      (now) => now.tokens[0]?.status === "failed",
    );

    expect(tokens).toMatchObject([
      { status: "failed", reason: expect.stringContaining("rpc_unavailable") },
      { reason: expect.stringContaining("trying again") },
    ]);
    expect((await readQueue(database))[1]).toMatchObject({ requested: 1, done: 0 });
  });
});
