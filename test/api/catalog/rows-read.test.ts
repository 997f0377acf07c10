/** How much PostgreSQL reads for a token, whatever the tables were when its connection planned the statement. */

import { afterAll, expect, it } from "vitest";
import { readChainActivity } from "../../../src/api/catalog/activity/activity-store.ts";
import { createHoldings } from "../../../src/api/catalog/holdings-store.ts";
import { readStates } from "../../../src/api/catalog/tokens/state-store.ts";
import { createServingIndexes } from "../../../src/api/chain/index/serving-indexes.ts";
import { createDatabase, type Queryable } from "../../../src/api/db/database.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { readSampled, readSampleOutcome } from "../../../src/api/metadata/records/sample-store.ts";
import { readServed } from "../../../src/api/metadata/records/store.ts";
import { findChanges } from "../../../src/api/search/sync/store.ts";
import { readCheckFacts } from "../../../src/api/trading/checks/check-store.ts";
import { readLockHolders } from "../../../src/api/trading/lock-holders.ts";
import { readLockOddities } from "../../../src/api/trading/reconcile/reconcile-store.ts";
import { CHAIN_SCHEMA, countRowsRead, createTestDatabase } from "../../support/database/database.ts";
import { countPlanWork } from "../../support/database/plan-work.ts";
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

it("doesn't grow with the collection for a token's activity, likewise", async () => {
  const page = { before: "9".repeat(80), limit: 50 };
  const subject = { of: "token", tokenId: "7", chainId: CHAIN_ID, address: COLLECTION } as const;
  const of = (kinds: Pick<Parameters<typeof readChainActivity>[3], "transferKinds" | "lockDirections">) =>
    database.transaction((tx) =>
      countPlanWork(tx, (each) => readChainActivity(each, tables, subject, { ...page, ...kinds })),
    );
  await database.query(`truncate ${tables.tokenTransfer}, ${tables.lockEvent}`);
  const events = (collectionOf: string) =>
    database.query(
      `with moved as (
         insert into ${tables.tokenTransfer} (id, chain_id, collection_address, token_id, "from", "to", quantity, block_number,
           block_timestamp, transaction_hash, log_index)
         select lpad(n::text, 75, '0') || $2, $1, ${collectionOf}, n, 'a', 'b', 1, 10, 1, '0xt', 1
           from generate_series(1, ${TOKENS}) n)
       insert into ${tables.lockEvent} (id, chain_id, collection_address, token_id, direction, count_after, anomaly,
         block_number, block_timestamp, transaction_hash, log_index, standard, flag_count_after, follows_default)
       select lpad(n::text, 75, '0') || $2, $1, ${collectionOf}, n, 'lock', 1, false, 90, 1, '0xt', 1, 'erc6982', 1, true
         from generate_series(1, ${TOKENS}) n`,
      [CHAIN_ID, collectionOf.slice(0, 3)],
    );
  await events("'c' || n");
  for (const table of [tables.tokenTransfer, tables.lockEvent]) await database.query(`analyze ${table}`);
  await events(`'${COLLECTION}'`);

  expect(await of({ transferKinds: ["transfer"], lockDirections: [] })).toBeLessThan(100);
  expect(await of({ transferKinds: [], lockDirections: ["lock"] })).toBeLessThan(100);
});

it("doesn't grow with the collection for what is read by tokens' ids, where most collections have one token", async () => {
  const ids = Array.from({ length: 20 }, (_, n) => String(n * 7 + 1));
  const within = { chainId: CHAIN_ID, collection: COLLECTION, address: COLLECTION };
  const reads: readonly ((tx: Queryable) => Promise<unknown>)[] = [
    (tx) => readServed(tx, CHAIN_ID, COLLECTION, ids),
    (tx) => readSampled(tx, tables, within, ids, 100),
    (tx) => readSampleOutcome(tx, within, ids, "2020-01-01"),
    (tx) => readLockHolders(tx, tables, CHAIN_ID, COLLECTION, ids),
    (tx) => readLockOddities(tx, tables, within, ids),
    (tx) => createHoldings({ database: tx, tables }).balances(within, ids, "0x8"),
  ];
  const stored = [tables.tokenState, tables.tokenBalance, "vitrine.version", "vitrine.token"];
  await database.query(`truncate ${stored.join(", ")} cascade`);
  for (const table of stored) await database.query(`alter table ${table} set (autovacuum_enabled = false)`);
  const fill = async (collectionOf: string, firstVersion: number) => {
    await database.query(
      `insert into ${tables.tokenState} (chain_id, collection_address, token_id, standard, owner, burned, lock_count)
       select $1, ${collectionOf}, n, 'erc721', '0x' || n, false, 0 from generate_series(1, ${TOKENS}) n`,
      [CHAIN_ID],
    );
    await database.query(
      `insert into ${tables.tokenBalance} (chain_id, collection_address, token_id, holder, balance)
       select $1, ${collectionOf}, n, '0x' || n, 1 from generate_series(1, ${TOKENS}) n`,
      [CHAIN_ID],
    );
    await database.query(
      `insert into vitrine.version (id, chain_id, collection, token_id, number, outcome, trigger, uri, metadata, issues,
         content_hash, complete, duration_ms, normaliser) overriding system value
       select $2::int + n, $1, ${collectionOf}, n, 1, 'updated', 'sample', 'ipfs://' || n, '{"name":"x","traits":[]}', '[]',
              '00', true, 1, 7 from generate_series(1, ${TOKENS}) n`,
      [CHAIN_ID, firstVersion],
    );
    await database.query(
      `insert into vitrine.token (chain_id, collection, token_id, served_version, good_block, since_block, last_outcome, last_fetch_at)
       select $1, ${collectionOf}, n, $2::int + n, 5, 5, 'good', now() from generate_series(1, ${TOKENS}) n`,
      [CHAIN_ID, firstVersion],
    );
  };
  await fill("'c' || n", 0);
  await database.query("analyze");
  await fill(`'${COLLECTION}'`, TOKENS);

  for (const [nth, read] of reads.entries())
    expect(await database.transaction((tx) => countPlanWork(tx, read)), `read ${nth}`).toBeLessThan(1_000);
});
