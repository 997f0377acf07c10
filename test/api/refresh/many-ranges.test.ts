import { beforeEach, describe, expect, it } from "vitest";
import { addSweep } from "../../../src/api/refresh/triggers/new-sweeps.ts";
import { oldestOfEach, oldestToHide, oldestToList } from "../../../src/api/refresh/triggers/sweep-store.ts";
import { RANGES_MAX } from "../../../src/api/refresh/triggers/trigger-batches.ts";
import { countRowsRead, createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";
import { createTriggerSetup } from "../../support/refresh/triggers.ts";

const test = await createTestDatabase();
const { database } = test;
const setup = createTriggerSetup(test);
const UINT256_MAX = 2n ** 256n - 1n;

beforeEach(async () => {
  await emptyTables(database);
  await setup.clear();
  await setup.setChain(100, 70);
});

const readSweeps = () =>
  database.query<{ from: string; to: string; block: number }>(
    `select from_token_id::text as "from", to_token_id::text as "to", block::int from vitrine.sweep
      where finished_at is null order by from_token_id, id`,
  );

const add = (from: number, to: number, how: Partial<Parameters<typeof addSweep>[1]> = {}) =>
  addSweep(database, {
    ...{ chainId: CHAIN_ID, collection: COLLECTION, from: String(from), to: String(to), block: 50 },
    skipRead: false,
    ...how,
  });

/** Waiting sweeps of two tokens each, with a gap after each. */
async function addDistinct(count: number): Promise<void> {
  for (let nth = 0; nth < count; nth++) await add(10 * nth, 10 * nth + 1);
}

describe("the ranges of one batch of events", () => {
  const announce = async (ranges: readonly (readonly [from: bigint, to: bigint, block: number])[]) => {
    for (const [log, [from, to, block]] of ranges.entries()) await setup.add({ block, log, from, to });
    await setup.triggers().handleBatch();
  };

  it("become one sweep at the newest block where they overlap or touch", async () => {
    await announce([
      [20n, 29n, 90],
      [10n, 14n, 92],
      [15n, 17n, 91],
      [5n, 12n, 90],
      [19n, 40n, 90],
    ]);

    expect(await readSweeps()).toEqual([
      { from: "5", to: "17", block: 92 },
      { from: "19", to: "40", block: 90 },
    ]);
  });

  it("become one of the whole collection if any names it", async () => {
    await announce([
      [20n, 29n, 92],
      [7n, UINT256_MAX, 91],
      [1n, 2n, 90],
    ]);

    expect(await readSweeps()).toEqual([{ from: "0", to: String(UINT256_MAX), block: 92 }]);
    expect(await database.query("select from vitrine.receipt")).toHaveLength(1);
  });

  it.each([
    [RANGES_MAX, RANGES_MAX],
    [RANGES_MAX + 1, 1],
  ])("of which %i are apart become %i", async (apart, sweeps) => {
    await announce(
      Array.from({ length: apart }, (_, nth) => [10n * BigInt(nth), 10n * BigInt(nth) + 1n, 90]),
    );

    const open = await readSweeps();
    expect(open).toHaveLength(sweeps);
    expect(open[0]?.from).toBe("0");
    expect(open.at(-1)?.to).toBe(String(10 * (apart - 1) + 1));
  });

  it("stay apart where they were minted, since a reorg reverts each by itself", async () => {
    for (const [log, from] of [1n, 6_001n].entries())
      await setup.add({ block: 90, log, source: "mint", from, to: from + 5_999n });
    await setup.triggers().handleBatch();

    expect(await readSweeps()).toHaveLength(2);
  });
});

describe("the waiting sweeps of a collection", () => {
  it("are replaced by one that spans them once there are too many", async () => {
    await addDistinct(RANGES_MAX);
    expect(await readSweeps()).toHaveLength(RANGES_MAX);

    await add(5, 6, { block: 60 });

    const last = 10 * (RANGES_MAX - 1) + 1;
    expect(await readSweeps()).toEqual([{ from: "0", to: String(last), block: 60 }]);
  });

  it("are read at no block that a reorg has voided", async () => {
    await addDistinct(RANGES_MAX);

    await add(5, 6, { block: 0 });

    expect(await readSweeps()).toMatchObject([{ block: 0 }]);
  });

  it("stay if they have started, have a receipt, were minted or are another collection's", async () => {
    const receiptId = "00000000-0000-4000-8000-000000000001";
    await add(2, 3);
    await setup.know({ 2: null });
    await setup.sweeps().advance();
    await database.query("update vitrine.sweep set finished_at = null");
    await add(4, 5, { receiptId });
    await add(6, 7, { minted: true });
    await add(8, 9, { collection: "0xother" });
    await addDistinct(RANGES_MAX + 1);

    const kept = (await readSweeps()).map(({ from, to }) => `${from}-${to}`);
    expect(kept.sort()).toEqual([`0-${10 * RANGES_MAX + 1}`, "2-3", "4-5", "6-7", "8-9"]);
  });

  it("are not read to find the oldest", async () => {
    const known = Array.from({ length: 600 }, (_, id) => [String(id), null]);
    await setup.know(Object.fromEntries(known));
    await add(0, 599);
    await setup.sweeps().advance();
    await database.query(
      `insert into vitrine.sweep (chain_id, collection, from_token_id, to_token_id, block, skip_read)
       select $1, $2, id, id + 1, 90, false from generate_series(1, 20000, 2) as id`,
      [CHAIN_ID, COLLECTION],
    );

    const rows = await database.transaction((tx) =>
      countRowsRead(tx, ["vitrine"], async () => {
        await setup.sweeps({ ...database, query: tx.query, transaction: (work) => work(tx) }).advance();
      }),
    );

    // The 500 tokens that wait, and the sweep that they belong to.
    expect(rows).toBeLessThan(600);
  });

  it.each([
    ["oldest", oldestOfEach],
    ["oldest to list", oldestToList],
    ["oldest to hide", oldestToHide],
  ])("are not read to find the %s, though there was one when it was found last", async (_, find) => {
    const rows = await database.transaction(async (tx) => {
      const fill = (count: number) =>
        tx.query(
          `insert into vitrine.sweep (chain_id, collection, from_token_id, to_token_id, block, skip_read)
           select $1, $2, id, id + 1, 90, false from generate_series(1, $3::int * 2, 2) as id`,
          [CHAIN_ID, COLLECTION, count],
        );
      await tx.query("truncate vitrine.sweep");
      await fill(1);
      await tx.query("analyze vitrine.sweep");
      await find(tx);
      await fill(10_000);
      return countRowsRead(tx, ["vitrine"], async () => void (await find(tx)));
    });

    expect(rows).toBeLessThan(5);
  });
});
