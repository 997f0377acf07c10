/** Which of the kept counts hold, in whatever order the search index answers. */

import { expect, it } from "vitest";
import { createCountsCache } from "../../../src/api/catalog/tokens/counts-cache.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

/** Counts over a search index whose answers the test gives, by question. */
function start() {
  const waiting: ((stamp: string | null) => void)[] = [];
  const asked = () => new Promise<string | null>((resolve) => waiting.push(resolve));
  const counts = createCountsCache(
    {
      countsStamp: async () => ({ stamp: await asked() }),
      countTraits: async () => ({
        counts: [],
        total: 0,
        highest: new Map(),
        rarity: new Map(),
        stamp: await asked(),
      }),
    },
    { chainId: CHAIN_ID, address: COLLECTION, startBlock: 0 },
  );
  return {
    counts,
    questions: () => waiting.length,
    answer: (nth: number, stamp: string | null) => waiting[nth]?.(stamp),
  };
}

it("hold once they are counted, and as long as their stamp is confirmed", async () => {
  const { counts, answer } = start();
  const counting = counts.count(["1"], "block 1");
  answer(0, "a");
  const counted = await counting;
  expect(counts.holds(counted)).toBe(true);

  const same = counts.confirm("block 2");
  answer(1, "a");
  await same;
  expect(counts.holds(counted)).toBe(true);

  const other = counts.confirm("block 3");
  answer(2, "b");
  await other;
  expect(counts.holds(counted)).toBe(false);
});

it("are confirmed with one question for all who ask at once, and with none for the same block", async () => {
  const { counts, answer, questions } = start();
  const all = Promise.all([counts.confirm("block 1"), counts.confirm("block 1")]);
  answer(0, "a");
  await all;
  await counts.confirm("block 1");
  expect(questions()).toBe(1);
});

it("don't hold after an earlier question is answered late", async () => {
  const { counts, answer } = start();
  const early = counts.count(["1"], "block 1");
  const later = counts.confirm("block 2");
  answer(1, "after a burn");
  await later;
  answer(0, "before it");
  expect(counts.holds(await early)).toBe(false);
});

it("don't hold if they were discarded while they were being counted", async () => {
  const { counts, answer } = start();
  const counting = counts.count(["1"], "block 1");
  counts.discard();
  answer(0, "a");
  expect(counts.holds(await counting)).toBe(false);
});

it.each([
  ["of an index that is not in memory", "block 1", null],
  ["asked for before the block was known", null, "a"],
])("are not kept: %s", async (_name, checkpoint, stamp) => {
  const { counts, answer } = start();
  const counting = counts.count(["1"], checkpoint);
  answer(0, stamp);
  expect(counts.holds(await counting)).toBe(false);
});

it("don't hold once PostgreSQL answers for an index that has left the memory", async () => {
  const { counts, answer } = start();
  const counting = counts.count(["1"], "block 1");
  answer(0, "a");
  const counted = await counting;
  const confirming = counts.confirm("block 2");
  answer(1, null);
  await confirming;

  expect(counts.holds(counted)).toBe(false);
});

it("can be asked for again after a question failed", async () => {
  const { counts, answer } = start();
  const failing = createCountsCache(
    {
      countsStamp: () => Promise.reject(new Error("away")),
      countTraits: () => Promise.reject(new Error("away")),
    },
    { chainId: CHAIN_ID, address: COLLECTION, startBlock: 0 },
  );
  await expect(failing.confirm("block 1")).rejects.toThrow("away");
  await expect(failing.confirm("block 1")).rejects.toThrow("away");
  const confirming = counts.confirm("block 1");
  answer(0, "a");
  await confirming;
});
