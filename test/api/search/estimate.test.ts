import { expect, it } from "vitest";
import { estimateMemory } from "../../../src/api/search/sync/estimate.ts";
import { countRowsRead, createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database } = test;
const TOKENS = 1_000;
const estimate = () => estimateMemory(database, { chainId: CHAIN_ID, collection: COLLECTION }, 1e9);

it("values are counted once, whatever PostgreSQL knows of a new collection", async () => {
  // As nothing has analysed it yet.
  for (const table of ["token", "trait_type", "trait_value"])
    await database.query(`alter table vitrine.${table} set (autovacuum_enabled = off)`);
  await database.query(
    `with type as (
       insert into vitrine.trait_type (chain_id, collection, key, trait_type, display_type) values ($1, $2, '=T', 'T', 'string')
       returning id),
     tokens as (
       insert into vitrine.token (chain_id, collection, token_id) select $1, $2, nth from generate_series(1, ${TOKENS}) nth)
     insert into vitrine.trait_value (trait_type_id, display_type, key, value_text)
     select id, 'string', '=' || nth, 'value ' || nth from type, generate_series(1, 20000) nth`,
    [CHAIN_ID, COLLECTION],
  );

  const read = await database.transaction((tx) =>
    countRowsRead(tx, ["vitrine"], async () => {
      await estimateMemory(tx, { chainId: CHAIN_ID, collection: COLLECTION }, 1e9);
    }),
  );
  await emptyTables(database);
  expect(read).toBeLessThan(50_000);
});

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
