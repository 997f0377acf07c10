/** Mints of thousands of tokens in one event: all become known and are read, some thousands at a time. */

import { beforeEach, describe, expect, it } from "vitest";
import { checkpoint, createTestDatabase } from "../../support/database/database.ts";
import { keepLocked, untilWaiting } from "../../support/database/keep-locked.ts";
import { CHAIN_ID, COLLECTION, emptyTables, found, readQueue, ref } from "../../support/refresh/refresh.ts";
import { createTriggerSetup } from "../../support/refresh/triggers.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const setup = createTriggerSetup(test);
const triggers = setup.triggers();
const sweeps = setup.sweeps();
const OWNER = "0xa11ce00000000000000000000000000000000000";

beforeEach(async () => {
  await emptyTables(database);
  await setup.clear();
  await database.query(`truncate ${tables.tokenRange}, ${tables.tokenState}, ${tables.meta}`);
});

const countKnown = async (): Promise<number> => {
  const [row] = await database.query<{ count: number }>(
    "select count(*)::int as count from vitrine.token where not unseen",
  );
  return row?.count ?? 0;
};
const openSweeps = () =>
  database.query(
    "select block::int, minted, asked::int, known::int from vitrine.sweep where finished_at is null",
  );
/** Completes the queue as the worker would. */
const finishQueue = () => database.query("update vitrine.refresh set done = wanted where done < wanted");
async function work(): Promise<void> {
  for (let pass = 0; pass < 100; pass++) {
    await triggers.handleBatch();
    if ((await sweeps.advance()) === "idle") return;
    await finishQueue();
  }
  throw new Error("the sweeps never ended");
}

const range = (from: bigint, to: bigint, block = 90) =>
  test.insert("tokenRange", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    fromTokenId: from,
    toTokenId: to,
    owner: OWNER,
    transferId: `range ${from}`,
    mintedBlock: BigInt(block),
    mintedLog: 0,
    blockTimestamp: 1_700_000_000n,
    transactionHash: "0xt",
  });

describe("a range that was minted", () => {
  beforeEach(async () => {
    await setup.setChain(100, 70);
    await setup.add({ block: 90, source: "mint", from: 1n, to: 12_000n });
    await range(1n, 12_000n);
  });

  it("becomes known by thousands, however little room the queue has", async () => {
    await triggers.handleBatch();
    expect(await countKnown()).toBe(0);

    await sweeps.advance();
    expect(await countKnown()).toBe(5_000);
    expect(await readQueue(database)).toEqual([]);

    await sweeps.advance();
    const queue = await readQueue(database);
    expect(queue.length).toBeGreaterThan(0);
    expect(queue.length).toBeLessThanOrEqual(500);
    expect(queue).toContainEqual(
      expect.objectContaining({ tokenId: "1", trigger: "sweep", priority: 10, minBlock: 90 }),
    );
    // The queue is full, and no worker runs.
    for (let pass = 0; pass < 5; pass++) await sweeps.advance();
    expect(await countKnown()).toBe(12_000);
  });

  it("is asked for to its last token, each once, and the sweep ends", async () => {
    await work();

    expect(await countKnown()).toBe(12_000);
    const queue = await readQueue(database);
    expect(queue).toHaveLength(12_000);
    expect(queue.every(({ requested }) => requested === 1)).toBe(true);
    expect(await openSweeps()).toEqual([]);
  });

  it("is not asked for again by another index of the same chain", async () => {
    await work();
    await setup.setChain(200, 170);
    await work();
    await database.query("update vitrine.token set good_block = 95");
    await database.query("truncate vitrine.refresh");

    const again = setup.triggers(await setup.reindexAs("again"));
    await again.handleBatch();
    for (let pass = 0; pass < 10; pass++) await sweeps.advance();

    expect(await readQueue(database)).toEqual([]);
    expect(await openSweeps()).toEqual([]);
  });

  it("keeps what an event asks for within it apart, and takes it along", async () => {
    await setup.add({ block: 95, source: "BatchMetadataUpdate", from: 1n, to: 100n });
    await triggers.handleBatch();

    expect(await openSweeps()).toMatchObject([{ minted: true, block: 95 }]);
  });

  it("becomes known as well where a reorg reverts an event within it before its turn has come", async () => {
    await setup.clear();
    await database.query("truncate vitrine.sweep, vitrine.cause, vitrine.cause_cursor");
    await setup.setChain(100, 70);
    await setup.add({ block: 80, source: "mint", from: 1n, to: 12_000n });
    await setup.add({ block: 90, source: "BatchMetadataUpdate", from: 1n, to: 100n });
    await triggers.handleBatch();
    await setup.revert(90);
    await work();

    expect(await countKnown()).toBe(12_000);
    expect(await openSweeps()).toEqual([]);
  });

  it.each(["a mint's", "those of an update as well"])(
    "becomes known while earlier fetches wait for their host: %s",
    async (earlier) => {
      if (earlier !== "a mint's")
        await setup.add({ block: 92, source: "BatchMetadataUpdate", from: 1n, to: 12_000n });
      await setup.add({ block: 95, source: "mint", from: 20_001n, to: 27_000n });
      await range(20_001n, 27_000n, 95);
      await triggers.handleBatch();
      // The queue gets full, and no worker runs.
      for (let pass = 0; pass < 10; pass++) await sweeps.advance();

      expect(await countKnown()).toBe(19_000);
      expect((await readQueue(database)).every(({ tokenId }) => Number(tokenId) <= 12_000)).toBe(true);
      await work();
      expect(await readQueue(database)).toHaveLength(19_000);
      expect(await openSweeps()).toEqual([]);
    },
  );

  it("is read once, though a sweep of the whole collection that began before comes past it as well", async () => {
    await work();
    await setup.add({ block: 93, source: "BatchMetadataUpdate" });
    await triggers.handleBatch();
    await sweeps.advance();
    await database.query("truncate vitrine.refresh");
    await setup.add({ block: 95, source: "mint", from: 20_001n, to: 27_000n });
    await range(20_001n, 27_000n, 95);
    for (let pass = 0; pass < 100 && (await openSweeps()).length > 0; pass++) {
      await triggers.handleBatch();
      await sweeps.advance();
      await database.query(
        `update vitrine.token t set good_block = 100
           from vitrine.refresh r where r.token_id = t.token_id and r.done < r.wanted`,
      );
      await finishQueue();
    }

    const minted = (await readQueue(database)).filter(({ tokenId }) => Number(tokenId) > 20_000);
    expect(minted).toHaveLength(7_000);
    expect(minted.filter(({ requested }) => requested > 1)).toEqual([]);
    expect(await openSweeps()).toEqual([]);
  });

  it("becomes known without a pause between it and others that wait as well", async () => {
    for (const nth of [2n, 3n, 4n]) {
      const [from, to] = [nth * 10_000n, nth * 10_000n + 5_999n];
      await setup.add({ block: 95, log: Number(nth), source: "mint", from, to });
      await range(from, to, 95);
    }
    await triggers.handleBatch();
    // No worker runs.
    while ((await sweeps.advance()) === "moved") {}

    expect(await countKnown()).toBe(30_000);
  });

  it("is no part of a sweep of the whole collection that waits: its tokens would stay unknown", async () => {
    await setup.clear();
    await database.query("truncate vitrine.sweep, vitrine.cause, vitrine.cause_cursor");
    await setup.setChain(100, 70);
    await setup.add({ block: 80, source: "BatchMetadataUpdate" });
    await setup.add({ block: 90, source: "mint", from: 1n, to: 6_000n });
    await work();

    expect(await countKnown()).toBe(6_000);
  });
});

describe("a range whose mint a reorg reverted", () => {
  it("is listed no more; what other transfers report stays", async () => {
    await setup.setChain(100, 70);
    await setup.add({ block: 90, source: "mint", from: 1n, to: 6_000n });
    await range(1n, 6_000n);
    await work();
    expect(await countKnown()).toBe(6_000);

    await setup.revert(90);
    await database.query(`truncate ${tables.tokenRange}`);
    await test.insert("tokenState", {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      tokenId: 7n,
      standard: "erc721",
      owner: OWNER,
      burned: false,
      lockCount: 0,
    });
    await work();

    const listed = await database.query("select token_id::text as id from vitrine.token where not unseen");
    expect(listed).toEqual([{ id: "7" }]);
  });

  it("adds no more of its tokens", async () => {
    await setup.setChain(100, 70);
    await setup.add({ block: 90, source: "mint", from: 1n, to: 200_000n });
    await range(1n, 200_000n);
    await triggers.handleBatch();
    await sweeps.advance();
    expect(await countKnown()).toBe(5_000);

    await setup.revert(90);
    await database.query(`truncate ${tables.tokenRange}`);
    await work();

    expect(await countKnown()).toBe(0);
    expect(await openSweeps()).toEqual([]);
  });

  it("is listed no more, though the index stopped while it was being hidden", async () => {
    await setup.setChain(100, 70);
    await setup.add({ block: 90, source: "mint", from: 1n, to: 10n });
    await range(1n, 10n);
    await work();
    await setup.revert(90);
    await database.query(`truncate ${tables.tokenRange}`);
    await triggers.handleBatch();
    const release = await keepLocked(database, "select from vitrine.token where token_id = 1 for update");

    const hiding = sweeps.advance();
    await untilWaiting(database);
    await setup.setReady(false);
    await Promise.all([release(), hiding]);
    expect(await countKnown()).toBe(10);

    await setup.setReady(true);
    await work();
    expect(await countKnown()).toBe(0);
  });

  it("holds up nothing else of its collection while the index can't say what is gone", async () => {
    await setup.setChain(100, 70);
    await setup.add({ block: 90, source: "mint", from: 1n, to: 6_000n });
    await range(1n, 6_000n);
    await work();
    await setup.revert(90);
    await database.query(`truncate ${tables.tokenRange}`);
    await setup.setChain(101, 70);
    await triggers.handleBatch();

    // The node is behind what the index had before.
    await database.query(
      "insert into vitrine.chain_head (schema, chain_id, checkpoint) values ($1, $2, $3)",
      [tables.schema, CHAIN_ID, checkpoint({ chainId: CHAIN_ID, block: 300, timestamp: 1_700_000_300 })],
    );
    await setup.add({ block: 102, source: "mint", from: 10_001n, to: 17_000n });
    await range(10_001n, 17_000n, 102);
    await setup.add({ block: 103, source: "BatchMetadataUpdate", from: 5_001n, to: 6_000n });
    await setup.setChain(103, 70);
    await work();

    expect(await countKnown()).toBe(13_000);
    expect((await readQueue(database)).filter(({ tokenId }) => Number(tokenId) > 10_000)).toHaveLength(7_000);
    expect(await openSweeps()).toMatchObject([{ minted: true, block: 0 }]);

    await setup.setChain(301, 270);
    await work();
    expect(await countKnown()).toBe(7_000);
    expect(await openSweeps()).toEqual([]);
  });
});

it("what was taken for a token and is none is listed no more, without asking anybody", async () => {
  await setup.setChain(100, 70);
  await setup.add({ block: 80, source: "mint", token: 10_000n });
  await setup.add({ block: 90, source: "retracted", token: 10_000n });
  await triggers.handleBatch();

  expect(await countKnown()).toBe(0);
  expect(await readQueue(database)).toMatchObject([{ tokenId: "10000", trigger: "mint" }]);
});

it("what turns out to be no token in the batch that listed it has no traits, and teaches its collection none", async () => {
  const attributes = [{ trait_type: "Level", display_type: "number", value: 999_999 }];
  const document = { name: "Fake", image: "https://img.example/1.png", attributes };
  const fetched = { token: ref("5"), trigger: "event", resolution: found(document, { block: 90 }) };
  await database.transaction((tx) => setup.metadata.recordAll(tx, [fetched]));
  await setup.setChain(100, 70);
  await setup.add({ block: 90, log: 1, source: "first_seen", token: 5n });
  await setup.add({ block: 91, log: 1, source: "retracted", token: 5n });

  await triggers.handleBatch();

  expect(await database.query("select unseen, traits from vitrine.token")).toEqual([
    { unseen: true, traits: [] },
  ]);
  expect(await database.query("select from vitrine.trait_type")).toEqual([]);
});
