import { beforeEach, describe, expect, it } from "vitest";
import { createDatabase, type Database } from "../../../src/api/db/database.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { claim, nextDueMs } from "../../../src/api/refresh/queue/claim.ts";
import { complete, release, renew, reschedule } from "../../../src/api/refresh/queue/leases.ts";
import { depth } from "../../../src/api/refresh/queue/overview-store.ts";
import { enqueue, findQueued } from "../../../src/api/refresh/queue/queue.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import {
  ask,
  CHAIN_ID,
  COLLECTION,
  claimOne,
  emptyTables,
  passSeconds,
  readQueue,
  SHARE,
} from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const UINT256_MAX = (2n ** 256n - 1n).toString();

beforeEach(() => emptyTables(database));

describe("asking for a token", () => {
  it("raises the requested mark and never adds a second row", async () => {
    const marks = [await ask(database, ["1"]), await ask(database, ["1", "2"]), await ask(database, ["1"])];

    expect(marks.map((each) => each.get("1"))).toEqual(["1", "2", "3"]);
    expect(marks[1]?.get("2")).toBe("1");
    expect(await readQueue(database)).toMatchObject([
      { tokenId: "1", requested: 3, done: 0 },
      { tokenId: "2", requested: 1, done: 0 },
    ]);
  });

  it("keeps token ids up to 2^256-1 whole", async () => {
    const marks = await ask(database, [UINT256_MAX, "0"]);

    expect([...marks.keys()].sort()).toEqual(["0", UINT256_MAX]);
    expect((await claim(database, tables, SHARE, 2)).map((lease) => lease.tokenId).sort()).toEqual([
      "0",
      UINT256_MAX,
    ]);
  });

  it("keeps the same token id of two chains and two collections apart", async () => {
    await ask(database, ["1"]);
    await ask(database, ["1"], { collection: "0x00000000000000000000000000000000000000ff" });
    await enqueue(database, {
      chainId: 2020,
      collection: COLLECTION,
      tokens: new Map([["1", 0]]),
      trigger: "rest",
    });

    expect(await readQueue(database)).toMatchObject([{ requested: 1 }, { requested: 1 }, { requested: 1 }]);
  });

  it("makes it due at once", async () => {
    await ask(database, ["1"]);

    expect(await nextDueMs(database, SHARE)).toBe(0);
    expect(await findQueued(database, CHAIN_ID, COLLECTION, ["1", "2"])).toEqual(new Set(["1"]));
  });
});

describe("priority", () => {
  it("only rises while the token waits, whatever the order of the requests", async () => {
    const seen: number[] = [];
    for (const trigger of ["sweep", "event", "mint", "graphql", "event", "sweep"] as const) {
      await ask(database, ["1"], { trigger });
      seen.push((await readQueue(database))[0]?.priority ?? 0);
    }

    expect(seen).toEqual([10, 20, 20, 30, 30, 30]);
    expect(await readQueue(database)).toMatchObject([{ trigger: "graphql" }]);
  });

  it("starts anew once the token is done", async () => {
    await ask(database, ["1"], { trigger: "operator" });
    await complete(database, [await claimOne(test)]);

    await ask(database, ["1"], { trigger: "sweep" });

    expect(await readQueue(database)).toMatchObject([{ priority: 10, trigger: "sweep" }]);
  });

  it("lets samples wait for everything else, and go along with what comes after them", async () => {
    await ask(database, ["1", "2"], { trigger: "sample" });
    await ask(database, ["3"], { trigger: "sweep" });
    await ask(database, ["2"], { trigger: "recheck" });

    expect(await readQueue(database)).toMatchObject([
      { tokenId: "1", priority: 5, trigger: "sample" },
      { tokenId: "2", priority: 10, trigger: "recheck" },
      { tokenId: "3", priority: 10 },
    ]);
    const claimed = await claim(database, tables, SHARE, 2);
    expect(claimed.map(({ tokenId }) => tokenId).sort()).toEqual(["2", "3"]);
    expect(await claimOne(test)).toMatchObject({ tokenId: "1", trigger: "sample" });
  });

  it("lets explicit requests go before events, and events before sweeps", async () => {
    await ask(database, ["1"], { trigger: "sweep" });
    await ask(database, ["2"], { trigger: "event" });
    await ask(database, ["3"], { trigger: "rest" });

    const order = [
      await claim(database, tables, SHARE, 1),
      await claim(database, tables, SHARE, 1),
      await claim(database, tables, SHARE, 1),
    ];

    expect(order.flat().map((lease) => lease.tokenId)).toEqual(["3", "2", "1"]);
  });

  it("lets the one that waits longest go first among equals", async () => {
    await ask(database, ["1"]);
    await passSeconds(database, 10);
    await ask(database, ["2"]);

    expect(await claim(database, tables, SHARE, 1)).toMatchObject([{ tokenId: "1" }]);
  });

  it("keeps an explicit request from inheriting the tries that an event used up", async () => {
    await ask(database, ["1"], { trigger: "event" });
    await reschedule(database, await claimOne(test), 0, "timeout");
    await ask(database, ["1"], { trigger: "sweep" });
    expect(await readQueue(database)).toMatchObject([{ attempts: 1 }]);

    await ask(database, ["1"], { trigger: "rest" });

    expect(await readQueue(database)).toMatchObject([{ attempts: 0 }]);
  });

  it("has all of a token's explicit requests share their tries: otherwise one might keep another open", async () => {
    await ask(database, ["1"], { trigger: "rest" });
    for (const attempts of [1, 2, 3]) {
      await reschedule(database, await claimOne(test), 0, "timeout");
      await ask(database, ["1"], { trigger: "operator" });
      expect(await readQueue(database)).toMatchObject([{ attempts }]);
      await passSeconds(database, 10);
    }

    await complete(database, [await claimOne(test)], () => ({ status: "failed" }));
    await ask(database, ["1"], { trigger: "rest" });

    expect(await readQueue(database)).toMatchObject([{ attempts: 0 }]);
  });

  it("gives an explicit request tries of its own once a node that was away has taken more than there are", async () => {
    await ask(database, ["1"], { trigger: "rest" });
    const failAt = async (isLast: boolean) => {
      const lease = await claimOne(test);
      // The fifth try may be a document's last.
      if (isLast) await ask(database, ["1"], { trigger: "rest" });
      await reschedule(database, lease, 0, "rpc_unavailable");
      await passSeconds(database, 10);
    };
    for (let nth = 1; nth <= 5; nth++) await failAt(nth === 5);
    // Not from a caller without a key.
    await ask(database, ["1"], { trigger: "graphql", anonymous: true });
    expect(await readQueue(database)).toMatchObject([{ attempts: 5 }]);

    await ask(database, ["1"], { trigger: "rest" });
    expect(await readQueue(database)).toMatchObject([{ attempts: 0 }]);

    for (let nth = 1; nth <= 5; nth++) await failAt(false);
    await claimOne(test);
    await ask(database, ["1"], { trigger: "rest" });
    expect(await readQueue(database)).toMatchObject([{ attempts: 0 }]);
  });

  it("has an explicit request that comes during the last try start anew", async () => {
    await ask(database, ["1"], { trigger: "rest" });
    const lease = await claimOne(test);
    await ask(database, ["1"], { trigger: "rest" });
    await complete(database, [lease], () => ({ status: "failed" }));

    expect(await readQueue(database)).toMatchObject([{ attempts: 0, requested: 2, done: 1 }]);
  });
});

describe("the block of the trigger", () => {
  it("keeps the highest one, so that no URI is read before its newest trigger", async () => {
    for (const block of [5, 9, 7, 0]) await ask(database, [["1", block]], { trigger: "event" });

    expect(await claimOne(test)).toMatchObject({ minBlock: 9 });
  });

  it("is void after a reorg, and counts again from the next trigger on", async () => {
    await ask(database, [["1", 90]], { trigger: "event" });
    await ask(database, [["1", 0]], { trigger: "reorg" });
    const afterReorg = await readQueue(database);
    await ask(database, [["1", 88]], { trigger: "event" });

    expect(afterReorg).toMatchObject([{ minBlock: 0, priority: 20 }]);
    expect(await readQueue(database)).toMatchObject([{ minBlock: 88 }]);
  });
});

describe("many at once", () => {
  it("never deadlocks and loses no mark, however the sets overlap", async () => {
    const connections = Array.from({ length: 6 }, () => createDatabase(test.url, silentLogger));
    const ids = Array.from({ length: 40 }, (_, index) => String(index));
    const shuffled = (seed: number): string[] =>
      [...ids].sort(
        (a, b) => ((Number(a) * 7919 + seed * 104729) % 41) - ((Number(b) * 7919 + seed * 104729) % 41),
      );

    const askOften = async (connection: Database, seed: number): Promise<void> => {
      for (let round = 0; round < 10; round++) {
        const half = shuffled(seed * 31 + round).slice(0, 20);
        await ask(connection, half, { trigger: round % 2 ? "rest" : "event" });
      }
    };
    await Promise.all([
      ...connections.flatMap((connection, seed) => [
        askOften(connection, seed),
        askOften(connection, seed + 100),
      ]),
    ]);

    const rows = await readQueue(database);
    expect(rows).toHaveLength(ids.length);
    expect(rows.reduce((sum, { requested }) => sum + requested, 0)).toBe(6 * 2 * 10 * 20);
    await Promise.all(connections.map((connection) => connection.close()));
  });

  it("stays clear of deadlocks while leases are renewed and released", async () => {
    const ids = Array.from({ length: 60 }, (_, index) => String(index));
    await ask(database, [...ids].reverse());
    const leases = await claim(database, tables, SHARE, 60);

    const rounds = Array.from({ length: 40 }, (_, round) => round);
    const ends = await Promise.allSettled([
      ...rounds.map(() => ask(database, ids)),
      ...rounds.map(() => renew(database, leases)),
      release(database, leases),
    ]);

    expect(ends.filter(({ status }) => status === "rejected")).toEqual([]);
    expect((await readQueue(database)).every(({ requested }) => requested === 41)).toBe(true);
  });
});

describe("depth", () => {
  it("counts what waits and reports how long the oldest has waited", async () => {
    expect(await depth(database)).toEqual({ waiting: 0, oldestSeconds: 0 });
    await ask(database, ["1", "2"]);
    await passSeconds(database, 100);
    await ask(database, ["3"]);
    await complete(database, [await claimTheFirst()]);

    const { waiting, oldestSeconds } = await depth(database);

    expect(waiting).toBe(2);
    expect(oldestSeconds).toBeGreaterThanOrEqual(100);
  });

  async function claimTheFirst() {
    const [lease] = await claim(database, tables, SHARE, 1);
    if (!lease) throw new Error("nothing is due");
    return lease;
  }
});
