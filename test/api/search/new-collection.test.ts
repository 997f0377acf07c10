/** Searches without a search index in a collection that PostgreSQL's statistics don't know yet. */

import { expect, it } from "vitest";
import type { Database } from "../../../src/api/db/database.ts";
import type { TokenFilter } from "../../../src/api/search/query.ts";
import { createDatabaseSearch } from "../../../src/api/search/sql/database-search.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { fillNewCollection, NEW_COLLECTION } from "../../support/database/new-collection.ts";
import { countPlanWork } from "../../support/database/plan-work.ts";

const TOKENS = 2_000;
const OWNERS = 500;
const test = await createTestDatabase();
const { database, tables } = test;
await fillNewCollection(test, TOKENS, { burned: 20, locked: 20 });

const all: TokenFilter = { criteria: [], ranges: [] };
const sort = { by: "id", descending: false } as const;
const owners = Array.from({ length: OWNERS }, (_, nth) => `0x${nth.toString(16).padStart(40, "0")}`);

it.each<readonly [string, TokenFilter, number]>([
  ["all", all, 80],
  ["locked", { ...all, locked: true }, 20],
  ["unlocked", { ...all, locked: false }, 60],
  ["of many owners", { ...all, owners }, 80],
])("%s are found by reads in proportion to the tokens", async (_name, filter, percent) => {
  let work = 0;
  const counting: Database = {
    ...database,
    transaction: (each) =>
      database.transaction(async (tx) => {
        let answer: unknown;
        work += await countPlanWork(tx, async (counted) => {
          answer = await each(counted);
        });
        return answer as Awaited<ReturnType<typeof each>>;
      }),
  };
  const search = createDatabaseSearch({ database: counting, tables }, NEW_COLLECTION);
  const { total } = await search.page({ filter, sort, limit: 50 });
  expect(total).toBe((TOKENS * percent) / 100);
  expect(work).toBeLessThan(TOKENS * 50);
});
