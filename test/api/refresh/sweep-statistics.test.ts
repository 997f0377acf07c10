/** Many open sweeps that PostgreSQL's statistics don't know. */

import { beforeEach, describe, expect, it } from "vitest";
import type { Queryable } from "../../../src/api/db/database.ts";
import { readOpenSweeps, sumOpenSweeps } from "../../../src/api/refresh/queue/overview-store.ts";
import { addSweep, endMintSweep } from "../../../src/api/refresh/triggers/new-sweeps.ts";
import {
  isBeingSwept,
  oldestOfEach,
  oldestToHide,
  oldestToList,
} from "../../../src/api/refresh/triggers/sweep-store.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { countPlanWork } from "../../support/database/plan-work.ts";
import { CHAIN_ID } from "../../support/refresh/refresh.ts";

const COLLECTIONS = 400;
const EACH = 10;
const test = await createTestDatabase();
const { database } = test;

const addSweeps = (prefix: string, collections: number, each: number, isFinished: boolean) =>
  database.query(
    `insert into vitrine.sweep (chain_id, collection, from_token_id, to_token_id, block, skip_read, minted, finished_at)
     select $1, $2 || c, n * 10, n * 10 + 5, case when n % 4 = 0 then 0 else 1 end, false, n % 2 = 0,
            case when $5 then now() end
       from generate_series(1, $3::int) c, generate_series(1, $4::int) n`,
    [CHAIN_ID, prefix, collections, each, isFinished],
  );
const workOf = (work: (tx: Queryable) => Promise<unknown>) =>
  database.transaction((tx) => countPlanWork(tx, work));

describe.each([
  ["none is there", 0, 0, true],
  ["all are finished", COLLECTIONS, EACH, true],
  ["all are of one collection", 1, COLLECTIONS * EACH, false],
])("where statistics say that %s", (_known, collections, each, isFinished) => {
  beforeEach(async () => {
    await database.query("truncate vitrine.sweep cascade");
    await addSweeps("before", collections, each, isFinished);
    await database.query("analyze vitrine.sweep");
    await addSweeps("new", COLLECTIONS, EACH, false);
  });

  it.each([
    ["the oldest of each collection", oldestOfEach],
    ["the oldest that list tokens", oldestToList],
    ["the oldest that hide tokens", oldestToHide],
  ])("%s are found by few reads", async (_which, find) => {
    const work = await workOf(async (tx) => {
      const found = await find(tx);
      expect(found.filter(({ collection }) => collection.startsWith("new"))).toHaveLength(COLLECTIONS);
    });
    expect(work).toBeLessThan(COLLECTIONS * 50);
  });

  it("they are listed for the operator by reads in proportion to them", async () => {
    expect(await workOf(readOpenSweeps)).toBeLessThan(COLLECTIONS * EACH * 5);
    expect(await workOf(sumOpenSweeps)).toBeLessThan(COLLECTIONS * EACH * 5);
  });

  const sweep = {
    chainId: CHAIN_ID,
    collection: "new7",
    from: "1001",
    to: "1002",
    block: 5,
    skipRead: false,
  };
  it.each<[string, (tx: Queryable) => Promise<unknown>]>([
    ["added", (tx) => addSweep(tx, sweep)],
    ["added for a mint", (tx) => addSweep(tx, { ...sweep, minted: true })],
    ["ended with its mint", (tx) => endMintSweep(tx, { ...sweep, from: "20", to: "25" })],
    ["looked for", (tx) => isBeingSwept(tx, CHAIN_ID, "new7")],
  ])("one is %s by few reads", async (_what, work) => {
    expect(await workOf(work)).toBeLessThan(100);
  });
});
