import { setTimeout as sleep } from "node:timers/promises";
import { beforeEach, describe, expect, it } from "vitest";
import type { Database } from "../../../src/api/db/database.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createBarrier, createWorkerSetup } from "../../support/processes/worker.ts";
import { ask, emptyTables, failed, found, makeDue, readQueue } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database } = test;
const setup = createWorkerSetup(test);
const hero = (name: string) => ({ name, image: "https://img.example/1.png" });

beforeEach(() => emptyTables(database));

const untilIdle = () =>
  eventually(
    () => readQueue(database),
    (rows) => rows.every(({ requested, done }) => requested === done),
  );

describe("a refresh request", () => {
  it("gets the outcome of each token", async () => {
    await setup.knowTokens("1", "2", "3");
    const first = await setup.request(["1", "2"]);
    const { worker, calls } = setup.start(({ tokenId, nth }) => {
      if (tokenId === "3") return failed("invalid_json");
      if (tokenId === "4") return failed("token_reverted");
      return found(hero(tokenId === "2" ? `Hero ${nth}` : "Hero"));
    });
    expect((await setup.done(first))?.tokens).toMatchObject([{ status: "updated" }, { status: "updated" }]);

    const second = await setup.request(["1", "2", "3", "4"]);
    await makeDue(database);
    worker.wake();

    expect((await setup.done(second))?.tokens).toMatchObject([
      { token_id: "1", status: "unchanged", reason: null },
      { token_id: "2", status: "updated", reason: null },
      { token_id: "3", status: "failed", reason: "invalid_json: so it was" },
      { token_id: "4", status: "not_found", reason: "token_reverted: so it was" },
    ]);
    expect(calls).toHaveLength(6);
  });

  it("joins a fetch that waits, so that many requests cost one fetch", async () => {
    await setup.knowTokens("1");
    const receipts = await Promise.all(Array.from({ length: 20 }, () => setup.request(["1"])));

    const { calls } = setup.start(() => found(hero("Hero")));

    for (const id of receipts) expect((await setup.done(id))?.tokens).toMatchObject([{ status: "updated" }]);
    expect(calls).toHaveLength(1);
  });

  it("that arrives during a fetch is answered by the next one", async () => {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const first = await setup.request(["1"]);
    const { worker, calls } = setup.start(async ({ nth }) => {
      if (nth === 1) await released;
      return found(hero(`Hero ${nth}`));
    });
    await eventually(
      () => calls.length,
      (count) => count === 1,
    );
    const second = await setup.request(["1"]);
    expect((await setup.receipt(first))?.tokens).toMatchObject([{ status: "fetching" }]);
    expect((await setup.receipt(second))?.tokens).toMatchObject([{ status: "queued" }]);

    release();
    await setup.done(first);
    expect((await setup.receipt(second))?.tokens).toMatchObject([{ status: "queued" }]);
    await makeDue(database);
    worker.wake();

    expect((await setup.done(second))?.tokens).toMatchObject([{ status: "updated" }]);
    expect(calls).toHaveLength(2);
  });

  it("is read at the indexed block, and never below the block of its trigger", async () => {
    await ask(database, ["1", ["2", 77]], { trigger: "event" });

    const { calls } = setup.start(({ block }) => found(hero("Hero"), { block }));
    await untilIdle();

    expect(new Map(calls.map(({ tokenId, block }) => [tokenId, block]))).toEqual(
      new Map([
        ["1", 10],
        ["2", 77],
      ]),
    );
  });
});

describe("a fault that may pass", () => {
  const history = async () =>
    (
      await database.query<{ number: number; outcome: string; reason: string | null }>(
        "select number, outcome, reason from vitrine.version order by number",
      )
    ).map(({ number, outcome, reason }) => [number, outcome, reason]);

  it("is tried again, and the receipt says so meanwhile", async () => {
    await setup.knowTokens("1");
    const receipt = await setup.request(["1"]);
    const { worker } = setup.start(({ nth }) =>
      nth === 1 ? failed("timeout", { transient: true }) : found(hero("Hero")),
    );
    const waiting = await eventually(
      () => setup.receipt(receipt),
      (each) => each?.tokens[0]?.reason != null,
    );
    expect(waiting?.tokens).toMatchObject([
      { token_id: "1", status: "queued", reason: "timeout: so it was; trying again" },
    ]);

    await makeDue(database);
    worker.wake();

    expect((await setup.done(receipt))?.tokens).toMatchObject([{ status: "updated", reason: null }]);
    expect(await history()).toEqual([
      [1, "failed", "timeout: so it was"],
      [2, "updated", null],
    ]);
  });

  it("is a failure at the fifth try", async () => {
    await setup.knowTokens("1");
    const receipt = await setup.request(["1"]);
    const { worker, calls } = setup.start(() => failed("timeout", { transient: true }));

    const done = eventually(
      async () => {
        await makeDue(database);
        worker.wake();
        return setup.receipt(receipt);
      },
      (each) => each?.done === true,
    );

    expect((await done)?.tokens).toMatchObject([{ status: "failed", reason: "timeout: so it was" }]);
    expect(calls).toHaveLength(5);
  });

  it("of the node is never the end of a request, and no part of the token's history", async () => {
    await setup.knowTokens("1");
    const receipt = await setup.request(["1"]);
    const { worker, calls } = setup.start(({ nth }) =>
      nth <= 8 ? failed("rpc_unavailable", { transient: true }) : found(hero("Hero")),
    );

    const done = eventually(
      async () => {
        await makeDue(database);
        worker.wake();
        return setup.receipt(receipt);
      },
      (each) => each?.done === true,
    );

    expect((await done)?.tokens).toMatchObject([{ status: "updated" }]);
    expect(calls).toHaveLength(9);
    expect(await history()).toEqual([[1, "updated", null]]);
  });

  it("of the node takes none of the five tries of a request that comes meanwhile", async () => {
    await setup.knowTokens("1");
    const receipts = [await setup.request(["1"])];
    let isNodeAway = true;
    const { worker, calls } = setup.start(() =>
      failed(isNodeAway ? "rpc_unavailable" : "timeout", { transient: true }),
    );
    const goOnUntil = (isOver: () => Promise<boolean>) =>
      eventually(async () => {
        await makeDue(database);
        worker.wake();
        return isOver();
      }, Boolean);
    await goOnUntil(async () => calls.length >= 8);
    await eventually(
      () => readQueue(database),
      ([row]) => row?.lease === null && row.dueIn > 0,
    );

    isNodeAway = false;
    const before = calls.length;
    receipts.push(await setup.request(["1"]));
    await goOnUntil(async () => (await setup.receipt(receipts[1] ?? ""))?.done === true);

    expect(calls.length - before).toBe(5);
    for (const receipt of receipts)
      expect((await setup.receipt(receipt))?.tokens).toMatchObject([
        { status: "failed", reason: "timeout: so it was" },
      ]);
  });

  it("waits as long as the host asks for", async () => {
    await setup.request(["1"]);
    setup.start(() => failed("http_status", { transient: true, retryAfterMs: 600_000 }));

    const [row] = await eventually(
      () => readQueue(database),
      ([each]) => (each?.dueIn ?? 0) > 0,
    );

    expect(row?.dueIn).toBeGreaterThan(590);
  });

  it("holds up no other token", async () => {
    await setup.request(["1"]);
    const { calls } = setup.start(({ tokenId }) =>
      tokenId === "1" ? failed("timeout", { transient: true, retryAfterMs: 600_000 }) : found(hero("Hero")),
    );
    await eventually(
      () => calls.length,
      (count) => count === 1,
    );

    const { worker } = setup.start(() => found(hero("Hero")));
    const other = await setup.request(["2"]);
    worker.wake();

    expect((await setup.done(other))?.tokens).toMatchObject([{ status: "updated" }]);
  });
});

describe("the number of fetches at once", () => {
  it("is never exceeded, and nothing is left over", async () => {
    await ask(
      database,
      Array.from({ length: 60 }, (_, index) => String(index)),
    );

    const { runningMost, calls } = setup.start(
      async () => {
        await sleep(5);
        return found(hero("Hero"));
      },
      { concurrency: 3 },
    );
    await untilIdle();

    expect(runningMost()).toBe(3);
    expect(calls).toHaveLength(60);
  });

  it("of 0 leaves the queue to other processes", async () => {
    await ask(database, ["1"]);

    const { worker, calls } = setup.start(() => found(hero("Hero")), { concurrency: 0 });
    worker.wake();
    setup.start(() => found(hero("Hero")));
    await untilIdle();

    expect(calls).toEqual([]);
  });

  it("shared by several workers fetches each token once", async () => {
    await ask(
      database,
      Array.from({ length: 60 }, (_, index) => String(index)),
    );

    const workers = [1, 2, 3].map(() => setup.start(() => found(hero("Hero"))));
    await untilIdle();

    expect(workers.flatMap(({ calls }) => calls)).toHaveLength(60);
  });
});

it("a sweep fetches no more while 64 MiB of its documents wait to be recorded; what a caller asks for is fetched", async () => {
  const tokenIds = Array.from({ length: 90 }, (_, nth) => String(nth + 1));
  await setup.knowTokens(...tokenIds, "999");
  const { opened, open } = createBarrier();
  const slow: Database = {
    ...database,
    async transaction(work, kind) {
      await opened;
      return database.transaction(work, kind);
    },
  };
  await ask(database, tokenIds, { trigger: "sweep" });
  const document = found({ ...hero("Hero"), description: "x".repeat(1024 * 1024) });

  const { calls, worker } = setup.start(() => ({ ...document, host: "meta.example" }), {
    database: slow,
    concurrency: 16,
  });
  const [, meanwhile] = await eventually(
    async () => [calls.length, await sleep(1_500).then(() => calls.length)] as const,
    ([before, after]) => before > 60 && before === after,
  );
  const receipt = await setup.request(["999"]);
  worker.wake();
  const ids = await eventually(
    async () => calls.map(({ tokenId }) => tokenId),
    (all) => all.includes("999"),
  );
  open();
  await setup.done(receipt);
  await untilIdle();

  // Those that wait, and those that were under way.
  expect(meanwhile).toBeLessThanOrEqual(64 + 16);
  expect(ids).toHaveLength(meanwhile + 1);
  expect(calls).toHaveLength(tokenIds.length + 1);
});
