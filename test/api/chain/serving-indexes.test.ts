import { setTimeout as sleep } from "node:timers/promises";
import pg from "pg";
import { expect, it, onTestFinished } from "vitest";
import { createServingIndexes, missingServingIndexes } from "../../../src/api/chain/index/serving-indexes.ts";
import { CHAIN_SCHEMA, createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";

const test = await createTestDatabase();
const { database, url } = test;

const indexes = () =>
  database.query<{ name: string; oid: number; valid: boolean }>(
    `select c.relname as name, c.oid::int as oid, i.indisvalid as valid from pg_index i
       join pg_class c on c.oid = i.indexrelid
      where c.relnamespace = $1::regnamespace and c.relname like 'vitrine%' order by c.relname`,
    [CHAIN_SCHEMA],
  );

it("the indexes that serving needs are created once, and unchanged from then on", async () => {
  expect(await missingServingIndexes(database, CHAIN_SCHEMA)).toBe(21);
  expect(await createServingIndexes(url, CHAIN_SCHEMA)).toBe(true);
  expect(await missingServingIndexes(database, CHAIN_SCHEMA)).toBe(0);
  const made = await indexes();
  expect(made.map(({ name }) => name)).toEqual([
    "vitrine_collection_holder_by_holder",
    "vitrine_collection_holder_largest_first",
    "vitrine_delegation_enabled_from",
    "vitrine_delegation_enabled_to",
    "vitrine_delegation_from_to",
    "vitrine_delegation_to_from",
    "vitrine_lock_event_in_collection",
    "vitrine_lock_event_of_default",
    "vitrine_lock_event_of_holder",
    "vitrine_lock_event_of_token",
    "vitrine_token_balance_of_holder",
    "vitrine_token_range_of_owner",
    "vitrine_token_state_burned",
    "vitrine_token_state_locked",
    "vitrine_token_state_of_owner",
    "vitrine_token_state_unlocked",
    "vitrine_token_state_without_supply",
    "vitrine_token_transfer_in_collection",
    "vitrine_token_transfer_of_receiver",
    "vitrine_token_transfer_of_sender",
    "vitrine_token_transfer_of_token",
  ]);

  await createServingIndexes(url, CHAIN_SCHEMA);

  expect(await indexes()).toEqual(made);
});

it("the planner knows at once what the indexes of transfers hold, without autovacuum", async () => {
  await database.query(`drop index ${CHAIN_SCHEMA}.vitrine_token_transfer_of_token`);
  await test.insert("tokenTransfer", {
    ...{ id: "1", chainId: 1, collectionAddress: "0x1", tokenId: 5n, from: "0x2", to: "0x3", quantity: 1n },
    ...{ blockNumber: 1, blockTimestamp: 1, transactionHash: "0x4", logIndex: 0 },
  });

  await createServingIndexes(url, CHAIN_SCHEMA);

  const known = await database.query(
    `select n_distinct from pg_stats
      where schemaname = $1 and tablename = 'vitrine_token_transfer_of_token'`,
    [CHAIN_SCHEMA],
  );
  expect(known.length).toBeGreaterThan(0);
});

it("an interrupted index is created again, and no other", async () => {
  await createServingIndexes(url, CHAIN_SCHEMA);
  const before = await indexes();
  await database.query("update pg_index set indisvalid = false where indexrelid = to_regclass($1)", [
    `${CHAIN_SCHEMA}.vitrine_lock_event_of_token`,
  ]);
  expect(await missingServingIndexes(database, CHAIN_SCHEMA)).toBe(1);

  await createServingIndexes(url, CHAIN_SCHEMA);

  const after = await indexes();
  expect(after.map(({ name, valid }) => [name, valid])).toEqual(before.map(({ name }) => [name, true]));
  expect(after.filter(({ oid }, nth) => oid !== before[nth]?.oid).map(({ name }) => name)).toEqual([
    "vitrine_lock_event_of_token",
  ]);
});

it("one process makes them, and another leaves them to it", async () => {
  const other = new pg.Client({ connectionString: url });
  await other.connect();
  await other.query("select pg_advisory_lock(hashtextextended($1, 0))", [
    `vitrine serving indexes ${CHAIN_SCHEMA}`,
  ]);

  expect(await createServingIndexes(url, CHAIN_SCHEMA)).toBe(false);

  await other.end();
});

it("no time limit of the role ends their creation", async () => {
  await database.query(`drop index ${CHAIN_SCHEMA}.vitrine_token_state_burned`);
  const hurried = new URL(url);
  hurried.searchParams.set("options", "-c statement_timeout=500");

  const writer = new pg.Client({ connectionString: url });
  await writer.connect();
  onTestFinished(() => writer.end());
  await writer.query(`begin; lock table ${CHAIN_SCHEMA}.token_state in row exclusive mode`);

  const [created] = await Promise.all([
    createServingIndexes(hurried.href, CHAIN_SCHEMA),
    sleep(600).then(() => writer.query("commit")),
  ]);

  expect(created).toBe(true);
  expect((await indexes()).find(({ name }) => name === "vitrine_token_state_burned")?.valid).toBe(true);
});

it("one that waits for another's snapshot, as of a backup, makes way for a reorg and readers, and is created once it has ended", async () => {
  const table = `${CHAIN_SCHEMA}.lock_event`;
  await createServingIndexes(url, CHAIN_SCHEMA);
  await database.query(`drop index ${CHAIN_SCHEMA}.vitrine_lock_event_of_token`);
  const [backup, reorg] = [
    new pg.Client({ connectionString: url }),
    new pg.Client({ connectionString: url }),
  ];
  await Promise.all([backup.connect(), reorg.connect()]);
  onTestFinished(async () => void (await Promise.all([backup.end(), reorg.end()])));
  await backup.query("begin isolation level repeatable read; select from vitrine.token limit 1");

  const outcome = createServingIndexes(url, CHAIN_SCHEMA).catch((error: Error) => error.message);
  await eventually(
    () =>
      database.query(
        "select from pg_stat_activity where application_name = 'vitrine serving indexes' and wait_event_type = 'Lock'",
      ),
    (waiting) => waiting.length === 1,
  );
  await reorg.query(`begin; lock table ${table} in access exclusive mode; commit`);

  expect(await database.query(`select from ${table}`)).toEqual([]);
  expect(await outcome).toBe("canceling statement due to lock timeout");

  await backup.query("commit");
  expect(await createServingIndexes(url, CHAIN_SCHEMA)).toBe(true);
  expect((await indexes()).every(({ valid }) => valid)).toBe(true);
});
