import { beforeEach, describe, expect, it } from "vitest";
import { claim, nextDueMs } from "../../../src/api/refresh/queue/claim.ts";
import { complete, type Lease, reschedule } from "../../../src/api/refresh/queue/leases.ts";
import type { Trigger } from "../../../src/api/refresh/queue/queue.ts";
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

const dueIn = async (): Promise<number | undefined> => (await readQueue(database))[0]?.dueIn;
const claimIds = async (count = 10): Promise<string[]> =>
  (await claim(database, tables, SHARE, count)).map(({ tokenId }) => tokenId);

beforeEach(() => emptyTables(database));

describe("a claim", () => {
  it("gives each due token to one claimer only, though many claim at once", async () => {
    const ids = Array.from({ length: 200 }, (_, index) => String(index));
    await ask(database, ids);

    const claimTogether = () => Promise.all(Array.from({ length: 30 }, () => claimIds(10)));

    const claimed: string[] = [];
    // Workers too late for the rows that all of them see find the rest the next time.
    for (let round = await claimTogether(); round.flat().length > 0; round = await claimTogether()) {
      claimed.push(...round.flat());
    }
    expect(claimed).toHaveLength(200);
    expect(new Set(claimed)).toEqual(new Set(ids));
  });

  it("takes no more than it was asked to, and nothing twice", async () => {
    await ask(database, ["1", "2", "3"]);

    expect(await claimIds(2)).toHaveLength(2);
    expect(await claimIds(2)).toHaveLength(1);
    expect(await claimIds(2)).toEqual([]);
  });

  it("returns what the fetch needs: standard, block of the trigger, trigger and attempt", async () => {
    await test.insert("tokenState", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      tokenId: 1n,
      standard: "erc1155",
      burned: false,
      lockCount: 0,
    });
    await ask(database, [["1", 77]], { trigger: "event" });
    expect(await claimOne(test)).toMatchObject({
      chainId: CHAIN_ID,
      collection: COLLECTION,
      tokenId: "1",
      standard: "erc1155",
      minBlock: 77,
      trigger: "event",
      attempts: 1,
      started: "1",
    });

    await ask(database, ["2"]);
    expect(await claimOne(test)).toMatchObject({ tokenId: "2", standard: undefined, minBlock: 0 });
  });
});

describe("tokens whose host nobody knows yet", () => {
  const many = (from: number): string[] => Array.from({ length: 100 }, (_, index) => String(from + index));

  it("take turns by who asks: keyed callers, events and strangers", async () => {
    await ask(database, many(1000));
    await ask(database, many(2000), { trigger: "graphql", anonymous: true });
    await ask(database, ["3000"], { trigger: "mint" });

    const claimed = (await claim(database, tables, { ...SHARE, unread: 8 }, 8)).map(({ tokenId }) => tokenId);

    expect(claimed).toContain("3000");
    expect(claimed.filter((id) => id.startsWith("1"))).toHaveLength(4);
    expect(claimed.filter((id) => id.startsWith("2"))).toHaveLength(3);
  });

  it("of strangers never come before those of events", async () => {
    await ask(database, many(2000), { trigger: "graphql", anonymous: true });
    await ask(database, ["3000"], { trigger: "event" });

    expect((await claimIds(1))[0]).toBe("3000");
  });
});

describe("a token that was never read", () => {
  it("says nothing about its host where only anonymous callers named it, and does where an event did", async () => {
    await ask(database, ["1", "2"], { anonymous: true });
    await ask(database, ["2"], { trigger: "event" });
    const first = await claim(database, tables, SHARE, 2);
    expect(first.map(({ tokenId, isUnproven }) => [tokenId, isUnproven]).sort()).toEqual([
      ["1", true],
      ["2", false],
    ]);
    await complete(database, first, () => ({ status: "failed" }));
    await passSeconds(database, 6);

    // Brings the recheck forward.
    await ask(database, ["2"], { anonymous: true });

    expect(await claimOne(test)).toMatchObject({ tokenId: "2", isUnproven: false });
  });
});

describe("a token that turns out not to exist", () => {
  it("leaves no row behind", async () => {
    await ask(database, ["1", "2"], { anonymous: true });
    const leases = await claim(database, tables, SHARE, 2);

    await complete(database, leases, () => ({ status: "not_found" }));

    expect(await readQueue(database)).toEqual([]);
  });

  it("keeps its row where somebody has asked again meanwhile", async () => {
    await ask(database, ["1"]);
    const lease = await claimOne(test);
    await ask(database, ["1"]);

    await complete(database, [lease], () => ({ status: "not_found" }));

    expect(await readQueue(database)).toMatchObject([{ requested: 2, done: 1 }]);
  });
});

describe("the spacing of starts", () => {
  it.each([
    ["5 seconds", false, 5],
    ["60 seconds, for anonymous callers,", true, 60],
  ])("of %s counts from now where the clock has stepped back since", async (_title, anonymous, seconds) => {
    await ask(database, ["1"], { anonymous });
    await complete(database, [await claimOne(test)]);
    await passSeconds(database, -3_600);

    await ask(database, ["1"], { anonymous });

    expect(await dueIn()).toBe(seconds);
  });

  it("is 5 seconds for a token, however often it is asked for", async () => {
    await ask(database, ["1"]);
    await complete(database, [await claimOne(test)]);

    await ask(database, ["1"]);
    await ask(database, ["1"], { trigger: "event" });

    expect(await dueIn()).toBe(5);
    expect(await claimIds()).toEqual([]);
    await passSeconds(database, 5);
    expect(await claimIds()).toEqual(["1"]);
  });

  it("holds for another try too", async () => {
    await ask(database, ["1"]);
    await reschedule(database, await claimOne(test), 100, "timeout: so it was");

    expect(await dueIn()).toBe(5);
  });

  it("does not hold up a token whose last start is long ago", async () => {
    await ask(database, ["1"]);
    await complete(database, [await claimOne(test)]);
    await passSeconds(database, 60);

    await ask(database, ["1"]);

    expect(await claimIds()).toEqual(["1"]);
  });

  it("is 60 seconds for anonymous callers, after a start that they caused", async () => {
    await ask(database, ["1"], { anonymous: true });
    await complete(database, [await claimOne(test)]);

    await ask(database, ["1"], { anonymous: true });

    expect(await dueIn()).toBe(60);
    await passSeconds(database, 60);
    expect(await claimIds()).toEqual(["1"]);
  });

  it("is 60 seconds for anonymous callers who ask while a fetch of theirs runs", async () => {
    await ask(database, ["1"], { anonymous: true });
    const lease = await claimOne(test);

    await ask(database, ["1"], { anonymous: true });
    await complete(database, [lease]);
    expect(await dueIn()).toBe(60);
    await passSeconds(database, 60);
    await complete(database, [await claimOne(test)]);

    await ask(database, ["1"], { anonymous: true });
    expect(await dueIn()).toBe(60);
  });

  it("of anonymous callers leaves keyed callers alone", async () => {
    await ask(database, ["1"], { anonymous: true });
    await complete(database, [await claimOne(test)]);
    await ask(database, ["1"], { anonymous: true });

    await ask(database, ["1"]);

    expect(await dueIn()).toBe(5);
  });

  it("of anonymous callers counts from no start that a keyed caller shared", async () => {
    await ask(database, ["1"], { anonymous: true });
    await ask(database, ["1"]);
    await complete(database, [await claimOne(test)]);

    await ask(database, ["1"], { anonymous: true });

    expect(await dueIn()).toBe(5);
  });

  const leaveRecheck = async () => {
    await ask(database, ["1"], { trigger: "event" });
    await complete(database, [await claimOne(test)], () => ({ status: "unchanged" }));
    expect(await dueIn()).toBe(30);
  };
  const leaveRetry = (trigger: Trigger) => async () => {
    await ask(database, ["1"], { trigger });
    await reschedule(database, await claimOne(test), 3_600_000, "http_status: the host answered 429");
  };

  it.each([
    ["a recheck", leaveRecheck],
    ["another try of an event", leaveRetry("event")],
    ["another try of a sweep", leaveRetry("sweep")],
    ["another try of a sample", leaveRetry("sample")],
  ])("of anonymous callers counts from %s that they brought forward", async (_title, leave) => {
    await leave();
    await passSeconds(database, 6);

    await ask(database, ["1"], { anonymous: true });
    await complete(database, [await claimOne(test)]);
    await passSeconds(database, 6);
    await ask(database, ["1"], { anonymous: true });

    expect(await dueIn()).toBe(54);
  });

  it.each([
    ["a recheck that was due", leaveRecheck, () => passSeconds(database, 30)],
    ["another try for a keyed caller", leaveRetry("rest"), () => passSeconds(database, 6)],
  ])("of anonymous callers doesn't count from %s", async (_title, leave, wait) => {
    await leave();
    await wait();

    await ask(database, ["1"], { anonymous: true });
    await complete(database, [await claimOne(test)]);
    await ask(database, ["1"], { anonymous: true });

    expect(await dueIn()).toBe(5);
  });

  it("of anonymous callers doesn't count from what they brought forward and a keyed caller shared", async () => {
    await leaveRecheck();
    await passSeconds(database, 6);
    await ask(database, ["1"], { trigger: "graphql", anonymous: true });
    await ask(database, ["1"], { trigger: "rest" });
    await ask(database, ["1"], { trigger: "graphql", anonymous: true });

    const lease = await claimOne(test);
    expect(lease).toMatchObject({ trigger: "rest", priority: 30 });
    await complete(database, [lease]);
    await ask(database, ["1"], { anonymous: true });

    expect(await dueIn()).toBe(5);
  });

  it("of anonymous callers leaves the rank and the recheck of an event that they bring forward", async () => {
    await leaveRetry("event")();
    await passSeconds(database, 6);
    await ask(database, ["1"], { trigger: "graphql", anonymous: true });

    const lease = await claimOne(test);
    expect(lease).toMatchObject({ trigger: "event", priority: 20 });
    await complete(database, [lease], () => ({ status: "unchanged" }));

    expect(await readQueue(database)).toMatchObject([{ trigger: "recheck", priority: 10, dueIn: 30 }]);
  });

  it("brings a token forward that waits for its host, when it is asked for again", async () => {
    await ask(database, ["1"], { trigger: "event" });
    await reschedule(database, await claimOne(test), 3_600_000, "http_status: the host answered 429");
    await passSeconds(database, 10);
    expect(await dueIn()).toBe(3590);

    await ask(database, ["1"]);

    expect(await claimIds()).toEqual(["1"]);
  });
});

describe("the time until the next start", () => {
  it("is undefined with nothing to do and 0 with something due", async () => {
    expect(await nextDueMs(database, SHARE)).toBeUndefined();
    await ask(database, ["1"]);
    expect(await nextDueMs(database, SHARE)).toBe(0);
  });

  it("is that of the first token to come, be it spaced, postponed or leased", async () => {
    await ask(database, ["1", "2"]);
    const leases = await claim(database, tables, SHARE, 2);
    await reschedule(database, leases[0] as Lease, 40_000, "timeout");
    expect(await nextDueMs(database, SHARE)).toBeGreaterThan(10_000);
    expect(await nextDueMs(database, SHARE)).toBeLessThanOrEqual(15_000);

    await complete(database, [leases[1] as Lease]);
    expect(await nextDueMs(database, SHARE)).toBeGreaterThan(30_000);
    expect(await nextDueMs(database, SHARE)).toBeLessThanOrEqual(40_000);

    await ask(database, ["2"]);
    expect(await nextDueMs(database, SHARE)).toBeLessThanOrEqual(5_000);
  });
});
