/** Look-ups in a collection that PostgreSQL's statistics don't know yet. */

import { describe, expect, it } from "vitest";
import type { Queryable } from "../../../src/api/db/database.ts";
import { addUnseenTokens, findKnown } from "../../../src/api/metadata/listing/listing-store.ts";
import { burnedLatelyInRange, listedInRange } from "../../../src/api/metadata/listing/range-store.ts";
import {
  deleteNeverTransferred,
  findNeverTransferred,
  hideReverted,
} from "../../../src/api/metadata/listing/untransferred-store.ts";
import { findUntransferred, isGoneFromChain, isOnChain } from "../../../src/api/metadata/records/store.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { fillNewCollection, NEW_COLLECTION } from "../../support/database/new-collection.ts";
import { countPlanWork } from "../../support/database/plan-work.ts";

const TOKENS = 5_000;
const ASKED = 50;
const test = await createTestDatabase();
const { database, tables } = test;
const { chainId, collection } = NEW_COLLECTION;
await fillNewCollection(test, TOKENS, { burned: 20 });

const asked = Array.from({ length: ASKED }, (_, nth) => String(1 + nth * 7));
const [first = ""] = asked;
const unknown = new Map(asked.map((id) => [`${TOKENS}${id}`, 1]));
const workOf = (work: (tx: Queryable) => Promise<unknown>) =>
  database.transaction((tx) => countPlanWork(tx, work));

describe("pages and rows are read in proportion to the tokens for a range", () => {
  const range = { chainId, collection, from: "0", to: (2n ** 256n - 1n).toString() };
  it.each([
    ["listed", 80, async (tx: Queryable) => (await listedInRange(tx, tables, range, null, TOKENS)).tokenIds],
    ["burned lately", 20, (tx: Queryable) => burnedLatelyInRange(tx, tables, range, null, TOKENS)],
  ])("%s", async (_name, percent, read) => {
    const work = await workOf(async (tx) => expect((await read(tx)).length).toBe((TOKENS * percent) / 100));
    expect(work).toBeLessThan(TOKENS * 20);
  });
});

const byIds: readonly (readonly [string, (tx: Queryable) => Promise<unknown>])[] = [
  ["known tokens", (tx) => findKnown(tx, tables, chainId, collection, asked)],
  ["new unseen tokens", (tx) => addUnseenTokens(tx, tables, chainId, collection, unknown)],
  ["tokens without a transfer", (tx) => findUntransferred(tx, tables, chainId, collection, asked)],
  ["reverted tokens", (tx) => hideReverted(tx, tables, { chainId, collection, tokenIds: asked })],
  ["tokens to delete", (tx) => findNeverTransferred(tx, tables, { chainId, collection }, asked)],
  ["deleted tokens", (tx) => deleteNeverTransferred(tx, tables, { chainId, collection }, asked)],
];
describe("few pages and rows are read for each of some ids", () => {
  it.each(byIds)("of %s", async (_name, work) => {
    expect(await workOf(work)).toBeLessThan(ASKED * 60);
  });
});

describe("few pages and rows are read for one id", () => {
  const token = { chainId, collection, tokenId: first };
  it.each([
    ["known", (tx: Queryable) => findKnown(tx, tables, chainId, collection, [first])],
    ["on chain", (tx: Queryable) => isOnChain(tx, tables, token)],
    ["gone", (tx: Queryable) => isGoneFromChain(tx, tables, token)],
  ])("%s", async (_name, work) => {
    expect(await workOf(work)).toBeLessThan(60);
  });
});
