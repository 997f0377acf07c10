/** Tokens without a transfer are deleted, but only if a complete chain index lacks them. */

import { beforeEach, describe, expect, it } from "vitest";
import { raiseHeads } from "../../../src/api/chain/index/head-mark.ts";
import type { ChainTables } from "../../../src/api/chain/index/tables.ts";
import { createDaily } from "../../../src/api/jobs/daily.ts";
import { createMedia } from "../../../src/api/media/service.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { purgeNeverTransferred } from "../../../src/api/refresh/triggers/purge.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createMemoryLogger, createWorkerSetup } from "../../support/processes/worker.ts";
import {
  ask,
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  emptyTables,
  failed,
  found,
  readQueue,
  recordOne,
  ref,
} from "../../support/refresh/refresh.ts";
import { createTriggerSetup } from "../../support/refresh/triggers.ts";
import { createSearchHarness } from "../search/search-harness.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const setup = createTriggerSetup(test);
const worker = createWorkerSetup(test);
const search = createSearchHarness(test);
const OTHER = "0x00000000000000000000000000000000000000ff";
const JOB = `delete tokens without an indexed transfer on chain ${CHAIN_ID}`;

const media = createMedia({ database, gateways: [], baseUrl: "http://localhost" });
const metadataOf = (of: ChainTables) =>
  createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables: of });

/** What a newly started process does and logs. */
async function runJobs(of: ChainTables = tables, collections = [COLLECTION]) {
  const { logger, entries } = createMemoryLogger();
  const jobs = purgeNeverTransferred({
    metadata: metadataOf(of),
    media,
    collections: collections.map((address) => ({ chainId: CHAIN_ID, address })),
  });
  const isWaiting = await createDaily({ database, jobs, logger }).runDue();
  return { isWaiting, entries };
}

const hero = (level: number, name = "Hero") => ({
  name,
  image: "https://img.example/1.png",
  attributes: [{ trait_type: "Level", display_type: "number", value: level }],
});
const record = (tokenId: string, level: number) =>
  database.transaction((tx) =>
    recordOne(metadataOf(tables), tx, ref(tokenId), "graphql", found(hero(level))),
  );
const passMinutes = (minutes: number) =>
  database.query("update vitrine.token set known_since = known_since - $1 * interval '1 minute'", [minutes]);
const known = async (): Promise<string[]> =>
  (
    await database.query<{ id: string }>("select token_id::text as id from vitrine.token order by token_id")
  ).map(({ id }) => id);
const transfer = (tokenId: bigint, more: Record<string, unknown> = {}) =>
  test.insert("tokenState", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    tokenId,
    standard: "erc1155",
    supply: 1n,
    burned: false,
    lockCount: 0,
    ...more,
  });

beforeEach(async () => {
  await emptyTables(database);
  await setup.clear();
  await database.query(
    `truncate ${tables.tokenState}, ${tables.collectionState}, ${tables.meta}, vitrine.daily_job, vitrine.forgotten_token, vitrine.index_build`,
  );
  await database.query("drop schema if exists next_chain cascade");
  await test.insert("collectionState", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    standard: "erc1155",
    items: 3,
    owners: 1,
  });
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
});

/** Tokens 1 to 3, which have transfers, and tokens that strangers requested before existence was checked. */
async function haveBeenFlooded(phantoms = 50): Promise<void> {
  for (const id of [1n, 2n, 3n]) {
    await transfer(id);
    await record(String(id), Number(id));
  }
  for (let id = 1_000; id < 1_000 + phantoms; id++) await record(String(id), id);
  await passMinutes(11);
}

describe("an upgrade", () => {
  it("forgets tokens without an indexed transfer, for search and counts at once, and logs how many", async () => {
    await haveBeenFlooded();
    expect((await search.facets()).total).toBe(53);

    const { entries, isWaiting } = await runJobs();

    expect(isWaiting).toBe(false);
    expect(entries).toEqual([{ level: "info", msg: "Daily job done", job: JOB, rows: 50 }]);
    expect(await known()).toEqual(["1", "2", "3"]);
    expect(await search.facets()).toMatchObject({ total: 3, traits: [{ count: 3, max: 3, max_value: 3 }] });
    // It runs once a day.
    expect((await runJobs()).entries).toEqual([]);
  });

  it("keeps burned tokens, those whose mint may be on its way, and other collections' that it does not index", async () => {
    await transfer(1n, { burned: true, burnedBlock: 9n, supply: 0n });
    for (const id of ["1", "2"]) await record(id, 1);
    await passMinutes(11);
    await record("3", 1);
    await passMinutes(9);
    await database.query(
      "insert into vitrine.token (chain_id, collection, token_id, known_since) values ($1, $2, 5, now() - interval '1 day')",
      [CHAIN_ID, OTHER],
    );

    await runJobs();

    expect(await known()).toEqual(["1", "3", "5"]);
  });

  it("knows a token by a transfer, not by a lock", async () => {
    await record("1", 1);
    await passMinutes(11);
    await transfer(1n, { standard: null, supply: null, lockCount: 1 });

    await runJobs();

    expect(await known()).toEqual([]);
  });

  it("takes what waits of them out of the queue, answers who waits for it, and leaves others alone", async () => {
    await haveBeenFlooded(2);
    const receipt = await worker.request(["1", "1000"]);
    await ask(database, ["1001"], { trigger: "event" });

    await runJobs();

    expect((await readQueue(database)).map(({ tokenId }) => tokenId)).toEqual(["1"]);
    expect((await worker.receipt(receipt))?.tokens).toMatchObject([
      { token_id: "1", status: "queued", reason: null },
      { token_id: "1000", status: "not_found", reason: "the chain index has no transfer of the token" },
    ]);
  });

  it("keeps nothing of a fetch that is under way", async () => {
    await haveBeenFlooded(1);
    await worker.request(["1000"]);
    let release = (): void => {};
    const released = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { calls, log } = worker.start(async () => {
      await released;
      return found(hero(7, "A ghost"));
    });
    await expect.poll(() => calls.length).toBe(1);

    await runJobs();
    release();

    await expect.poll(() => log.map(({ msg }) => msg)).toContain("A refresh lost its lease");
    expect(await known()).toEqual(["1", "2", "3"]);
  });

  it("forgets thousands", async () => {
    await haveBeenFlooded(0);
    await database.query(
      `insert into vitrine.token (chain_id, collection, token_id, known_since)
       select $1, $2, generate_series(10000, 18699), now() - interval '1 hour'`,
      [CHAIN_ID, COLLECTION],
    );

    const { entries } = await runJobs();

    expect(entries).toMatchObject([{ rows: 8_700 }]);
    expect(await known()).toEqual(["1", "2", "3"]);
  });

  it("shows a token again that was hidden though its transfer is there", async () => {
    await haveBeenFlooded(0);
    await database.query("update vitrine.token set unseen = true, traits = '{}' where token_id = 2");

    await runJobs();

    expect(await search.facets()).toMatchObject({ total: 3, traits: [{ count: 3 }] });
  });
});

describe("nothing is forgotten", () => {
  const untilLater = async (of: ChainTables = tables): Promise<void> => {
    const { isWaiting, entries } = await runJobs(of);
    expect({ isWaiting, entries }).toEqual({ isWaiting: true, entries: [] });
    expect(await known()).toHaveLength(53);
    // It stays due.
    expect(await database.query("select from vitrine.daily_job")).toEqual([]);
  };

  it("while the index is being built", async () => {
    await haveBeenFlooded();
    await test.setHead({ chainId: CHAIN_ID, block: 100, ready: false });

    await untilLater();
  });

  it("while the index is behind what was seen of it, as after a restart", async () => {
    await haveBeenFlooded();
    await raiseHeads(database, tables);
    await test.setHead({ chainId: CHAIN_ID, block: 70, age: 30 });

    await untilLater();
  });

  it("by a schema that holds no index yet", async () => {
    await haveBeenFlooded();
    const next = await setup.reindexAs("next_chain");
    for (const table of [
      next.checkpoint,
      next.meta,
      next.tokenState,
      next.metadataUpdate,
      next.collectionState,
    ])
      await database.query(`truncate ${table}`);

    await untilLater(next);
  });

  it("while another index of the chain is at work, which may begin at an earlier block", async () => {
    await haveBeenFlooded();
    const next = await setup.reindexAs("next_chain");
    await database.query(
      "insert into vitrine.index_build (schema, build_id, inputs) values ($1, 'b', '{}')",
      ["next_chain"],
    );
    const beat = (secondsAgo: number) =>
      database.query(
        `update ${next.meta} set value = jsonb_build_object('is_ready', 0, 'build_id', 'b', 'is_locked', 1,
           'heartbeat_at', ((extract(epoch from now()) - $1) * 1000)::bigint)`,
        [secondsAgo],
      );
    await beat(5);
    await untilLater();

    // It is gone, or indexes another chain.
    await beat(60);
    expect((await runJobs()).entries).toMatchObject([{ rows: 50 }]);
    await database.query("truncate vitrine.daily_job");
    await beat(5);
    await database.query(`update ${next.checkpoint} set chain_id = 1`);
    expect((await runJobs()).isWaiting).toBe(false);
  });

  it("by an index of other contracts, complete as it may be", async () => {
    await haveBeenFlooded();
    const next = await setup.reindexAs("next_chain");
    await database.query(`truncate ${next.tokenState}, ${next.collectionState}`);

    const { entries } = await runJobs(next);

    expect(entries).toMatchObject([{ level: "info", rows: 0 }]);
    expect(await known()).toHaveLength(53);
  });

  it("by a schema without tables: it is said, and due again", async () => {
    await haveBeenFlooded();

    const { entries } = await runJobs({ ...tables, meta: "nowhere.meta", checkpoint: "nowhere.checkpoint" });

    expect(entries).toMatchObject([{ level: "warn", msg: "Daily job failed" }]);
    expect(await known()).toHaveLength(53);
    expect(await database.query("select from vitrine.daily_job")).toEqual([]);
  });

  it("by an index that stands still since before the token was known, such as one beside another", async () => {
    await haveBeenFlooded(0);
    const next = await setup.reindexAs("next_chain");
    // It is an hour behind, and the other one has indexed a mint of half an hour ago.
    await database.query(
      `update ${next.checkpoint} set latest_checkpoint =
         lpad((extract(epoch from now())::bigint - 3600)::text, 10, '0') || substr(latest_checkpoint, 11)`,
    );
    await transfer(4n);
    await record("4", 4);
    await database.query(
      "update vitrine.token set known_since = now() - interval '30 minutes' where token_id = 4",
    );

    await runJobs(next);

    expect(await known()).toEqual(["1", "2", "3", "4"]);
  });
});
