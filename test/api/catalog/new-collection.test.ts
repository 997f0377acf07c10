/** The health of a collection that PostgreSQL's statistics don't know yet. */

import { expect, it } from "vitest";
import { countCauses, listAffected } from "../../../src/api/catalog/health/health-store.ts";
import type { Queryable } from "../../../src/api/db/database.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { fillNewCollection, NEW_COLLECTION } from "../../support/database/new-collection.ts";
import { countPlanWork } from "../../support/database/plan-work.ts";

const TOKENS = 2_000;
const test = await createTestDatabase();
const { database, tables } = test;
const collection = { chainId: NEW_COLLECTION.chainId, address: NEW_COLLECTION.collection };
await fillNewCollection(test, TOKENS, { burned: 10, failed: 20, withIssues: 20, rejected: 20 });

const workOf = (work: (tx: Queryable) => Promise<unknown>) =>
  database.transaction((tx) => countPlanWork(tx, work));

it("causes are counted by reads in proportion to the tokens", async () => {
  const work = await workOf(async (tx) => {
    const within = { transaction: <Result>(each: (tx: Queryable) => Promise<Result>) => each(tx) };
    const { causes } = await countCauses(within, tables, collection);
    expect(causes.map(({ count }) => count)).toEqual([TOKENS / 10, TOKENS / 10, TOKENS / 10]);
  });
  expect(work).toBeLessThan(TOKENS * 50);
});

it.each(["timeout", "bad_image", "http_status"])(
  "those with %s are listed by such reads, too",
  async (code) => {
    const work = await workOf(async (tx) => {
      const page = { after: undefined, limit: TOKENS, images: { image: 10, stale_image: 0 } };
      expect((await listAffected(tx, tables, collection, code, page)).length).toBe(TOKENS / 10);
    });
    expect(work).toBeLessThan(TOKENS * 50);
  },
);
