/** Searches whose askers have been answered that they took too long. */
import { beforeEach, describe, expect, it, onTestFinished } from "vitest";
import { chainTables } from "../../../src/api/chain/index/tables.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { Abandoned } from "../../../src/api/search/awaited.ts";
import { type CollectionAnswers, createCollectionSearch } from "../../../src/api/search/collection-search.ts";
import { createLocalHost } from "../../../src/api/search/threads/local-host.ts";
import { createSearchThread } from "../../../src/api/search/threads/thread.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { CHAIN_ID, COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";
import { text } from "../metadata/traits-harness.ts";
import { ALL, createSearchHarness } from "./search-harness.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const harness = createSearchHarness(test);
const collection = { chainId: CHAIN_ID, collection: COLLECTION };
const mages = { ...ALL, criteria: [{ name: "Class", values: ["Mage"] }] };

beforeEach(async () => {
  await emptyTables(database);
  await harness.record(
    new Map([
      ["1", { name: "Hero", attributes: [text("Class", "Mage"), text("Hair", "Red")] }],
      ["2", { name: "Hero", attributes: [text("Class", "Rogue"), text("Eyes", "Blue")] }],
    ]),
  );
});

const kinds: readonly [string, (from: CollectionAnswers) => Promise<unknown>][] = [
  ["a page", (from) => from.page({ filter: mages, sort: { by: "id", descending: false }, limit: 3 })],
  ["facets", (from) => from.facets(mages)],
  ["a panel", (from) => from.panel(mages)],
  ["counts", (from) => from.countTraits({ tokenIds: ["1"] })],
  ["a stamp", (from) => from.countsStamp()],
  ["shown types", (from) => from.shownTypes(["Class"])],
  ["values", (from) => from.completeValues({ name: "Class", prefix: "m", limit: 3 })],
  ["names", (from) => from.findNamed({ text: "hero", tokenId: undefined, limit: 3 })],
];

/** An asker who is gone after so many times of being asked. */
const goneAfter = (times: number) => {
  let asked = 0;
  return { isAwaited: () => ++asked <= times, asked: () => asked };
};

/** A search, and how many statements it has made. */
function createCounted() {
  let statements = 0;
  const query: typeof database.query = (...how) => {
    statements++;
    return database.query<never>(...how);
  };
  const counted = { ...database, query };
  const search = createCollectionSearch({ database: counted, tables, collection, logger: silentLogger });
  return { search, statements: () => statements };
}

describe.each(kinds)("%s that nobody waits for", (_, ask) => {
  it("is left before the chain's tables are read for it, with the search index loaded for the next", async () => {
    const { search, statements } = createCounted();
    await expect(ask(search.whileAwaited(() => false))).rejects.toThrow(Abandoned);
    expect(search.memory).toBeGreaterThan(0);
    await expect(ask(search.whileAwaited(() => true))).resolves.toEqual(expect.anything());

    const awaited = createCounted();
    await ask(awaited.search);
    const left = createCounted();
    await expect(ask(left.search.whileAwaited(() => false))).rejects.toThrow(Abandoned);
    expect(left.statements()).toBeLessThan(awaited.statements());
    expect(statements()).toBeGreaterThan(left.statements());
  });
});

describe.each(kinds.filter(([name]) => name !== "counts" && name !== "a stamp"))(
  "%s, which takes a turn,",
  (_, ask) => {
    it("is left at its turn if nobody waits for it then", async () => {
      const { search } = createCounted();
      const asker = goneAfter(1);
      await expect(ask(search.whileAwaited(asker.isAwaited))).rejects.toThrow(Abandoned);
      expect(asker.asked()).toBe(2);
    });
  },
);

describe("facets", () => {
  it.each([
    ["at their first step", 2],
    ["between two steps", 3],
  ])("are left %s", async (_, times) => {
    const search = createCollectionSearch({ database, tables, collection, logger: silentLogger });
    const asker = goneAfter(times);
    await expect(search.whileAwaited(asker.isAwaited).facets(ALL)).rejects.toThrow(Abandoned);
    expect(asker.asked()).toBeGreaterThan(times);
    expect((await search.facets(ALL)).total).toBe(2);
  });
});

it("a host reports the size of a search index whose first asker is gone", async () => {
  const sizes: number[] = [];
  const host = createLocalHost({
    database,
    tables,
    logger: silentLogger,
    onSize: (_, bytes) => sizes.push(bytes),
  });
  const asked = { collection, kind: "facets", asked: { filter: mages } } as const;
  await expect(host.ask(asked, () => false)).rejects.toThrow(Abandoned);
  expect(sizes).toEqual([expect.any(Number)]);
  expect(await host.ask(asked)).toMatchObject({ stamp: expect.any(String) });
});

/** A thread that runs this script in place of its own. */
function createThread(script: string, more: Partial<Parameters<typeof createSearchThread>[1]>) {
  const thread = createSearchThread(
    { connectionString: "postgresql://nobody@127.0.0.1:1/nothing", tables: chainTables("vitrine_chain") },
    {
      heapMb: 64,
      logger: silentLogger,
      onSize() {},
      onLoss() {},
      script: new URL(script, import.meta.url),
      ...more,
    },
  );
  onTestFinished(() => thread.close());
  return () => thread.ask({ collection, kind: "warm", asked: null });
}

it("a thread knows how long its asker waits, by a clock that it shares", async () => {
  const answerMs = 600_000;
  const ask = createThread("./clock-thread.ts", { answerMs });
  const left = Number(await ask());
  expect(left).toBeGreaterThan(0);
  expect(left).toBeLessThanOrEqual(answerMs);
});

it("a load that fails after its asker is gone is reported, so that others may have its memory", async () => {
  const failed: unknown[] = [];
  const onLateFailure = (late: unknown) => failed.push(late);
  const ask = createThread("./late-thread.ts", { onLateFailure, answerMs: 100 });
  await expect(ask()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  expect(failed).toEqual([]);
  await expect(ask()).rejects.toMatchObject({ code: "UNAVAILABLE" });
  await eventually(
    () => failed,
    (collections) => collections.length === 1,
  );
  expect(failed).toEqual([collection]);
});
