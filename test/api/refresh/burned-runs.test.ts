/** Sweeps of collections in which many tokens in a row are burned, as opened packs are. */

import { beforeEach, describe, expect, it } from "vitest";
import type { Database, Queryable } from "../../../src/api/db/database.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { listedInRange } from "../../../src/api/metadata/listing/range-store.ts";
import { createCollectionRequests } from "../../../src/api/refresh/collections/collection-requests.ts";
import { createSweepEnds } from "../../../src/api/refresh/collections/sweep-ends.ts";
import { addSweep } from "../../../src/api/refresh/triggers/new-sweeps.ts";
import { UINT256_MAX } from "../../../src/domain/token-ref.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { countPlanWork } from "../../support/database/plan-work.ts";
import { createMemoryLogger } from "../../support/processes/worker.ts";
import { CHAIN_ID, COLLECTION, emptyTables, readQueue } from "../../support/refresh/refresh.ts";
import { createTriggerSetup } from "../../support/refresh/triggers.ts";

const BURNED = 12_000;
const PAGE = 5_000;
const OTHER = "0x9999999999999999999999999999999999999999";
const APP = "00000000-0000-4000-8000-000000000001";
const ALL = { from: "0", to: UINT256_MAX.toString() };

const test = await createTestDatabase();
const { database, tables } = test;
const { logger, entries } = createMemoryLogger();
const setup = createTriggerSetup(test, undefined, logger);
const { metadata } = setup;

beforeEach(async () => {
  await emptyTables(database);
  await setup.clear();
  await database.query(`truncate ${tables.tokenState}`);
  await setup.setChain(100, 70);
  entries.length = 0;
});

/** Tokens 0 and `BURNED` + 1 are listed, and none between them. */
async function burn(): Promise<void> {
  await setup.know(Object.fromEntries(Array.from({ length: BURNED + 2 }, (_, id) => [id, null])));
  await database.query(
    `insert into ${tables.tokenState} (chain_id, collection_address, token_id, standard, burned, burned_block, lock_count)
     select $1, $2, generate_series(1, $3::int), 'erc721', true, 5, 0`,
    [CHAIN_ID, COLLECTION, BURNED],
  );
}

const knowOther = () =>
  database.query("insert into vitrine.token (chain_id, collection, token_id) values ($1, $2, 1)", [
    CHAIN_ID,
    OTHER,
  ]);

const add = (collection: string) =>
  addSweep(database, { ...ALL, chainId: CHAIN_ID, collection, block: 1, skipRead: false });

const readSweeps = () =>
  database.query(
    `select collection, known::int, passed::int, asked::int, finished_at is not null as "isFinished"
       from vitrine.sweep order by id`,
  );

/** Fails each statement with this parameter, as one that takes too long. */
const slowFor = (parameter: unknown): Database => {
  const check = (parameters: readonly unknown[] = []): void => {
    if (parameters.includes(parameter))
      throw Object.assign(new Error("canceling statement due to statement timeout"), { code: "57014" });
  };
  const guarded = <On extends Queryable>(db: On): On => ({
    ...db,
    query: async (text: string, parameters?: readonly unknown[], name?: string) => {
      check(parameters);
      return db.query(text, parameters, name);
    },
  });
  return {
    ...guarded(database),
    transaction: (work, ...more) => database.transaction((tx) => work(guarded(tx)), ...more),
  };
};

async function refreshAndCancel(collection: string): Promise<string> {
  const requests = createCollectionRequests(database);
  const id = await requests.request({ chainId: CHAIN_ID, address: collection, startBlock: 0 }, APP);
  await requests.cancel(id, APP);
  return id;
}

describe("a long run of burned tokens", () => {
  it("is passed page by page: a statement reads no more tokens than one", async () => {
    await burn();
    const range = { ...ALL, chainId: CHAIN_ID, collection: COLLECTION };
    const pages: unknown[] = [];
    for (let after: string | null = null, more = true; more; more = after !== null) {
      const from: string | null = after;
      const work = await database.transaction((tx) =>
        countPlanWork(tx, async (counted) => {
          const { tokenIds, end } = await listedInRange(counted, tables, range, from, 100);
          pages.push([tokenIds, end]);
          after = end;
        }),
      );
      expect(work).toBeLessThan(PAGE * 10);
    }
    expect(pages).toEqual([
      [["0"], "4999"],
      [[], "9999"],
      [[String(BURNED + 1)], null],
    ]);
  });

  it("is swept past, and so are other collections", async () => {
    await burn();
    await knowOther();
    await add(COLLECTION);
    await add(OTHER);

    while ((await setup.sweeps().advance()) === "moved");

    expect(await readSweeps()).toEqual([
      { collection: COLLECTION, known: 2, passed: 2, asked: 2, isFinished: true },
      { collection: OTHER, known: 1, passed: 1, asked: 1, isFinished: true },
    ]);
    expect((await readQueue(database)).map(({ tokenId }) => tokenId).sort()).toEqual([
      "0",
      "1",
      String(BURNED + 1),
    ]);
  });

  it("is passed by one page per call, whatever it lists and others do, since chain triggers wait meanwhile", async () => {
    await burn();
    await knowOther();
    await add(COLLECTION);
    await add(OTHER);
    const cursors: (string | null)[] = [];
    for (let more = true; more; ) {
      more = (await setup.sweeps().advance()) === "moved";
      const [sweep] = await database.query<{ cursor: string }>(
        "select cursor::text from vitrine.sweep where collection = $1",
        [COLLECTION],
      );
      cursors.push(sweep?.cursor ?? null);
    }
    const last = String(BURNED + 1);
    expect(cursors).toEqual(["4999", "9999", last, last]);
  });

  it("is counted to its end where a refresh is cancelled", async () => {
    await burn();
    const id = await refreshAndCancel(COLLECTION);

    const ends = createSweepEnds({
      database,
      metadata,
      readIssueCounts: async () => [],
      logger: silentLogger,
    });
    expect(await ends.endFinished()).toBe(1);

    expect(await createCollectionRequests(database).findReceipt(id, APP)).toMatchObject({
      hasEnded: true,
      total: 2,
    });
  });
});

describe("a collection whose statements take too long", () => {
  it("keeps no other collection's sweep from its turn, and is tried again", async () => {
    await setup.know({ 1: null });
    await knowOther();
    await add(COLLECTION);
    await add(OTHER);
    const sweeps = setup.sweeps(slowFor(COLLECTION));

    expect(await sweeps.advance()).toBe("moved");
    expect(await sweeps.advance()).toBe("idle");

    expect(await readSweeps()).toMatchObject([
      { collection: COLLECTION, isFinished: false },
      { collection: OTHER, isFinished: true },
    ]);
    expect(entries).toMatchObject([{ msg: "Could not advance a sweep", collection: COLLECTION }]);
    expect(await setup.sweeps().advance()).toBe("moved");
  });

  it("keeps no other one's minted range from being listed", async () => {
    const minted = { from: "1", to: "2", block: 90, minted: true, skipRead: true };
    for (const collection of [COLLECTION, OTHER]) {
      await add(collection);
      await addSweep(database, { ...minted, chainId: CHAIN_ID, collection });
    }

    await setup.sweeps(slowFor(COLLECTION)).advance();

    const known = await database.query("select distinct collection from vitrine.token");
    expect(known).toEqual([{ collection: OTHER }]);
  });

  it("keeps no other one's cancelled refresh from its end", async () => {
    await setup.know({ 1: null });
    await knowOther();
    await refreshAndCancel(COLLECTION);
    const id = await refreshAndCancel(OTHER);

    const ends = createSweepEnds({
      database: slowFor(COLLECTION),
      metadata,
      readIssueCounts: async () => [],
      logger,
    });
    expect(await ends.endFinished()).toBe(1);

    expect(await createCollectionRequests(database).findReceipt(id, APP)).toMatchObject({ hasEnded: true });
    expect(entries).toMatchObject([{ msg: "Could not end a sweep", collection: COLLECTION }]);
  });
});

it("a chain whose triggers take too long keeps no other chain from its turn", async () => {
  await setup.setChain(100, 70, CHAIN_ID + 1);
  await setup.add({ block: 90, token: 5n });
  await setup.add({ block: 90, token: 6n, chainId: CHAIN_ID + 1 });

  await setup.triggers(tables, undefined, slowFor(CHAIN_ID)).handleBatch();

  expect(await database.query("select token_id::text from vitrine.refresh")).toEqual([{ token_id: "6" }]);
  expect(entries).toMatchObject([{ msg: "Could not handle a chain's triggers", chain_id: CHAIN_ID }]);
});
