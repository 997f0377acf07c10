/** The listed tokens of a collection that PostgreSQL's statistics don't know yet. */

import { expect, it } from "vitest";
import { readListedIds, readNeighbours } from "../../../src/api/pages/listed-store.ts";
import { CHAIN_SCHEMA, countRowsRead, createTestDatabase } from "../../support/database/database.ts";
import { fillNewCollection, NEW_COLLECTION } from "../../support/database/new-collection.ts";
import { countPlanWork } from "../../support/database/plan-work.ts";

const test = await createTestDatabase();
const { database, tables } = test;
await fillNewCollection(test, 5_000, { burned: 50 });

it("a token's neighbours are found by few reads, past the burned ones", async () => {
  const read = await database.transaction(async (tx) => {
    // As once the statement has run a few times.
    await tx.query("set local plan_cache_mode = force_generic_plan");
    return countRowsRead(tx, ["vitrine", CHAIN_SCHEMA], async () =>
      expect(await readNeighbours(tx, tables, NEW_COLLECTION, "2450")).toEqual({
        previous: "2399",
        next: "2451",
      }),
    );
  });

  expect(read).toBeLessThan(200);
});

it("the listed ones of a part are found by reads in proportion to it", async () => {
  const part = { from: "1000", before: undefined, limit: 200 };
  const work = await database.transaction((tx) =>
    countPlanWork(tx, async (queries) =>
      expect(await readListedIds(queries, tables, NEW_COLLECTION, part)).toHaveLength(100),
    ),
  );
  expect(work).toBeLessThan(part.limit * 20);
});
