/** Locked tokens in searches that PostgreSQL answers: up to 10,000 are looked up by id, more by a hash table. */

import { expect, it } from "vitest";
import { createDatabaseSearch } from "../../../src/api/search/sql/database-search.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { fillNewCollection, NEW_COLLECTION } from "../../support/database/new-collection.ts";

const TOKENS = 10_010;
const test = await createTestDatabase();
const { database, tables } = test;
await fillNewCollection(test, TOKENS, { burned: 0 });
const search = createDatabaseSearch({ database, tables }, NEW_COLLECTION);
const sort = { by: "id", descending: true } as const;

it.each([9_999, 10_000, 10_001])("%i are found, and all others are unlocked", async (count) => {
  await database.query(
    `update ${tables.tokenState} set lock_count = case when token_id <= $2 then 1 else 0 end where collection_address = $1`,
    [NEW_COLLECTION.collection, count],
  );

  for (const [locked, total, first] of [
    [true, count, count],
    [false, TOKENS - count, TOKENS],
  ] as const) {
    const page = await search.page({ filter: { criteria: [], ranges: [], locked }, sort, limit: 1 });
    expect(page).toMatchObject({ total, tokenIds: [String(first)] });
  }
});
