/** How much PostgreSQL reads for a token, whatever the tables were when its connection planned the statement. */

import { afterAll, expect, it } from "vitest";
import { readStates } from "../../../src/api/catalog/tokens/state-store.ts";
import { createDatabase, type Queryable } from "../../../src/api/db/database.ts";
import { silentLogger } from "../../../src/api/http/logger.ts";
import { findChanges } from "../../../src/api/search/sync/store.ts";
import { CHAIN_SCHEMA, countRowsRead, createTestDatabase } from "../../support/database.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh.ts";

const TOKENS = 3_000;
const test = await createTestDatabase();
const { database, tables } = test;
const single = createDatabase(test.url, silentLogger, { plain: 1, keyed: 1 });
afterAll(() => single.close());
const collection = { chainId: CHAIN_ID, collection: COLLECTION };

const read = (db: Queryable, since: string | undefined) =>
  readStates(db, tables, {
    ...collection,
    tokenIds: ["7", "8", "9"],
    maxAgeSeconds: 60,
    since,
    media: [{ kind: "image", url: "https://img.example/7.png" }],
  });
const changes = (db: Queryable, since: string | undefined) => findChanges(db, tables, collection, since);

it("doesn't grow with the collection, even where the statement was planned while it was empty", async () => {
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
  await single.transaction(async (tx) => {
    await read(tx, "1:1:");
    await changes(tx, "1:1:");
  }, "byKey");
  await database.query(
    `insert into vitrine.token (chain_id, collection, token_id) select $1, $2, id from generate_series(1, ${TOKENS}) id`,
    [CHAIN_ID, COLLECTION],
  );
  await database.query(
    `insert into vitrine.refresh (chain_id, collection, token_id, wanted, done, priority, trigger) select $1, $2, id, 1, 1, 1, 'rest' from generate_series(1, ${TOKENS}) id`,
    [CHAIN_ID, COLLECTION],
  );
  await database.query(
    `insert into vitrine.trait_type (chain_id, collection, key, trait_type, display_type)
     select $1, $2, id::text, id::text, 'string' from generate_series(1, ${TOKENS}) id`,
    [CHAIN_ID, COLLECTION],
  );
  await database.query(
    `insert into ${tables.tokenState} (chain_id, collection_address, token_id, standard, owner, burned, lock_count)
     select $1, $2, id, 'erc721', 'x', false, 0 from generate_series(1, ${TOKENS}) id`,
    [CHAIN_ID, COLLECTION],
  );
  const { snapshot } = await changes(database, undefined);

  const rows = await single.transaction(
    (tx) =>
      countRowsRead(tx, [CHAIN_SCHEMA, "vitrine"], async () => {
        expect((await read(tx, snapshot)).changes).toMatchObject({ hasNewTokens: false, hasNewTypes: false });
        expect((await changes(tx, snapshot)).changed).toEqual([]);
      }),
    "byKey",
  );

  expect(rows).toBeLessThan(100);
});
