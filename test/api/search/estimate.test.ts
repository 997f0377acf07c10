import { expect, it } from "vitest";
import { estimateMemory } from "../../../src/api/search/sync/estimate.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database } = test;
const TOKENS = 1_000;
const estimate = () => estimateMemory(database, { chainId: CHAIN_ID, collection: COLLECTION }, 1e9);

it("long names and descriptions count as far as they are searched, those that are alike so far once", async () => {
  await database.query(
    `insert into vitrine.token (chain_id, collection, token_id, name, description)
     select $1, $2, nth, 'Hero', 'Brave' from generate_series(1, ${TOKENS}) nth`,
    [CHAIN_ID, COLLECTION],
  );
  const short = await estimate();
  // Of the same first thousand characters, which the index has once.
  await database.query(
    `update vitrine.token set name = repeat('x', 20000) || token_id, description = repeat('y', 20000) || token_id`,
  );

  expect((await estimate()) - short).toBeLessThan(5_000);
});
