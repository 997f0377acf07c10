/** How much PostgreSQL reads for a token, whatever the tables were when its connection planned the statement. */

import { afterAll, expect, it } from "vitest";
import { createHoldings } from "../../../src/api/catalog/holdings-store.ts";
import { readStates } from "../../../src/api/catalog/tokens/state-store.ts";
import { createServingIndexes } from "../../../src/api/chain/index/serving-indexes.ts";
import { createDatabase, type Queryable } from "../../../src/api/db/database.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { findChanges } from "../../../src/api/search/sync/store.ts";
import { readCheckFacts } from "../../../src/api/trading/checks/check-store.ts";
import { CHAIN_SCHEMA, countRowsRead, createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

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

it("doesn't grow with the lock events that a reorg may still revert, of the collection or of one token", async () => {
  const check = (db: Queryable) =>
    readCheckFacts(db, tables, {
      tokens: ["7", "8", "9"].map((tokenId) => ({ ...collection, tokenId })),
      wallet: undefined,
      withHolder: false,
      maxAgeSeconds: 60,
    });
  await single.transaction(async (tx) => {
    await read(tx, undefined);
    await check(tx);
  }, "byKey");
  await database.query(
    `insert into ${tables.lockEvent} (id, chain_id, collection_address, token_id, direction, count_after, anomaly, block_number,
       block_timestamp, transaction_hash, log_index, standard, flag_count_after, follows_default)
     select lpad(n::text, 75, '0'), $1, $2, case when n % 2 = 0 then 7 end, 'lock', 1, false, 90, 1, '0xt', n, 'erc6982', 1, true
       from generate_series(1, ${TOKENS}) n`,
    [CHAIN_ID, COLLECTION],
  );
  await database.query(
    `insert into vitrine.event (id, type, subject, chain_id, collection, token_id, source, transaction_hash, standard,
       count_after, lock_count, anomaly, open)
     select log_index, type, type, chain_id, collection_address, token_id, id, transaction_hash, standard, 1, 1, false, true
       from ${tables.lockEvent}, lateral (select case when token_id is null then 'default_lock' else 'lock' end as type) of`,
  );

  const rows = await single.transaction(
    (tx) =>
      countRowsRead(tx, [CHAIN_SCHEMA, "vitrine"], async () => {
        const { tokens } = await read(tx, undefined);
        expect([...tokens.values()].map(({ chain }) => chain?.fresh)).toEqual([true, true, true]);
        expect((await check(tx)).map(({ fresh }) => fresh)).toEqual([true, true, true]);
      }),
    "byKey",
  );

  expect(rows).toBeLessThan(200);
});

it("doesn't grow with the collection for a token's transfers, where statistics know collections of one token alone", async () => {
  const transfers = (prefix: string, collectionOf: string, tokens: number) =>
    database.query(
      `insert into ${tables.tokenTransfer} (id, chain_id, collection_address, token_id, "from", "to", quantity, block_number,
         block_timestamp, transaction_hash, log_index)
       select $1 || n, $2, ${collectionOf}, n % $3::int, 'a', 'b', 1, 10, 1, '0xt', 1 from generate_series(1, ${TOKENS}) n`,
      [prefix, CHAIN_ID, tokens],
    );
  await transfers("few", "'c' || n", 1);
  await createServingIndexes(test.url, CHAIN_SCHEMA);
  await database.query(`analyze ${tables.tokenTransfer}`);
  await transfers("many", `'${COLLECTION}'`, TOKENS);
  const tokenIds = Array.from({ length: 50 }, (_, n) => String(n + 1));

  const rows = await single.transaction(
    (tx) =>
      countRowsRead(tx, [CHAIN_SCHEMA], async () => {
        const holdings = createHoldings({ database: tx, tables });
        const found = await holdings.transfers({ chainId: CHAIN_ID, address: COLLECTION }, tokenIds, {
          offset: 0,
          limit: 10,
        });
        expect([...found.values()].map(({ total }) => total)).toEqual(tokenIds.map(() => 1));
      }),
    "byKey",
  );

  expect(rows).toBeLessThan(tokenIds.length * 10);
});
