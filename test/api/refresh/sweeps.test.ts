import { beforeEach, describe, expect, it } from "vitest";
import { claim } from "../../../src/api/refresh/queue/claim.ts";
import { complete } from "../../../src/api/refresh/queue/leases.ts";
import { addSweep } from "../../../src/api/refresh/triggers/new-sweeps.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import {
  ask,
  CHAIN_ID,
  COLLECTION,
  emptyTables,
  makeDue,
  readQueue,
  SHARE,
} from "../../support/refresh/refresh.ts";
import { createTriggerSetup } from "../../support/refresh/triggers.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const setup = createTriggerSetup(test);
const UINT256_MAX = (2n ** 256n - 1n).toString();

beforeEach(async () => {
  await emptyTables(database);
  await setup.clear();
  await database.query(`truncate ${tables.tokenState}`);
});

const know = (count: number, from = 0) =>
  setup.know(Object.fromEntries(Array.from({ length: count }, (_, index) => [String(from + index), null])));

const add = (from: string, to: string, how: { block?: number; skipRead?: boolean } = {}) =>
  addSweep(database, {
    chainId: CHAIN_ID,
    collection: COLLECTION,
    from,
    to,
    block: how.block ?? 50,
    skipRead: how.skipRead ?? false,
  });

const readSweeps = () =>
  database.query<{ asked: number; cursor: string | null; finished: boolean }>(
    `select asked::int, cursor::text, finished_at is not null as finished from vitrine.sweep order by id`,
  );

const waitingIds = async (): Promise<string[]> =>
  (await readQueue(database)).filter(({ requested, done }) => requested > done).map(({ tokenId }) => tokenId);

/** Completes up to `count` of the pending fetches. */
async function fetchSome(count: number): Promise<void> {
  await makeDue(database);
  for (const lease of await claim(database, tables, SHARE, count)) await complete(database, [lease]);
}

describe("a range", () => {
  it("becomes one sweep, which asks for the known tokens in it and no others", async () => {
    await know(10);
    await setup.setChain(100, 70);
    await setup.add({ block: 90, from: 3n, to: 5n });
    await setup.triggers().handleBatch();
    await setup.triggers().handleBatch();

    expect(await setup.sweeps().advance()).toBe("moved");

    expect(await readQueue(database)).toMatchObject(
      ["3", "4", "5"].map((tokenId) => ({ tokenId, trigger: "sweep", priority: 10, minBlock: 90 })),
    );
    expect(await readSweeps()).toEqual([{ asked: 3, cursor: "5", finished: true }]);
    expect(await setup.sweeps().advance()).toBe("idle");
  });

  it("up to 2^256-1 covers the whole collection, whatever it starts from", async () => {
    await setup.know({ 0: null, 7: null, [UINT256_MAX]: null });
    await setup.setChain(100, 70);
    await setup.add({ block: 90, from: 5n, to: 2n ** 256n - 1n });
    await setup.triggers().handleBatch();

    await setup.sweeps().advance();

    expect(await waitingIds()).toEqual(["0", "7", UINT256_MAX]);
  });

  it("covers both of its ends and leaves other collections and chains alone", async () => {
    await know(5);
    await database.query(
      `insert into vitrine.token (chain_id, collection, token_id) values (2020, $1, 2), ($2, '0xother', 2)`,
      [COLLECTION, CHAIN_ID],
    );
    await add("1", "3");

    await setup.sweeps().advance();

    expect(await database.query("select count(*)::int as count from vitrine.refresh")).toEqual([
      { count: 3 },
    ]);
    expect(await waitingIds()).toEqual(["1", "2", "3"]);
  });

  it("that comes again and again costs one sweep, and one more once the first has begun", async () => {
    await know(600);
    for (const block of [50, 70, 60]) await add("0", UINT256_MAX, { block });
    await add("3", "9", { block: 80 });
    expect(await readSweeps()).toHaveLength(1);
    expect(await database.query("select block::int from vitrine.sweep")).toEqual([{ block: 80 }]);
    await setup.sweeps().advance();

    for (const block of [90, 91]) await add("0", UINT256_MAX, { block });

    expect(await readSweeps()).toEqual([
      { asked: 500, cursor: "499", finished: false },
      { asked: 0, cursor: null, finished: false },
    ]);
  });

  it("asks for a token whose burn a reorg may still remove, and counts none that is burned", async () => {
    await know(4);
    await setup.setChain(100, 70);
    const state = {
      chainId: CHAIN_ID,
      collectionAddress: COLLECTION,
      standard: "erc721",
      lockCount: 0,
    } as const;
    await test.insert("tokenState", { ...state, tokenId: 1n, burned: true, burnedBlock: 71n });
    await test.insert("tokenState", { ...state, tokenId: 2n, burned: true, burnedBlock: 70n });
    await test.insert("tokenState", { ...state, tokenId: 3n, burned: true, burnedBlock: 99n });
    await add("0", "3", { block: 90 });

    await setup.sweeps().advance();

    expect(await waitingIds()).toEqual(["0", "1", "3"]);
    expect(await readSweeps()).toEqual([{ asked: 1, cursor: "0", finished: true }]);
  });

  it("without a known token is done at once", async () => {
    await add("1", "3");

    await setup.sweeps().advance();

    expect(await readSweeps()).toEqual([{ asked: 0, cursor: null, finished: true }]);
  });

  it("that was handled before leaves out what was read at its block or later", async () => {
    await setup.know({ 1: 49, 2: 50, 3: 51, 4: null });
    await add("0", "10", { block: 50, skipRead: true });

    await setup.sweeps().advance();

    expect(await waitingIds()).toEqual(["1", "4"]);
    expect(await readSweeps()).toEqual([{ asked: 2, cursor: "4", finished: true }]);
  });

  it("never lowers what is asked for with more urgency", async () => {
    await know(2);
    await ask(database, ["1"], { trigger: "rest" });
    await add("0", UINT256_MAX);

    await setup.sweeps().advance();

    expect(await readQueue(database)).toMatchObject([
      { tokenId: "0", priority: 10 },
      { tokenId: "1", priority: 30, trigger: "rest", requested: 2 },
    ]);
  });
});

describe("a large sweep", () => {
  it("keeps at most 500 of its tokens queued and goes on as they are fetched", async () => {
    await know(1_200);
    await add("0", UINT256_MAX);
    const sweeps = setup.sweeps();

    await sweeps.advance();
    expect(await waitingIds()).toHaveLength(500);
    expect(await sweeps.advance()).toBe("waiting");
    expect(await readSweeps()).toEqual([{ asked: 500, cursor: "499", finished: false }]);

    await fetchSome(200);
    expect(await sweeps.advance()).toBe("moved");
    expect(await waitingIds()).toHaveLength(500);
    expect(await readSweeps()).toEqual([{ asked: 700, cursor: "699", finished: false }]);

    await fetchSome(500);
    await sweeps.advance();
    await fetchSome(500);
    await sweeps.advance();
    expect(await readSweeps()).toEqual([{ asked: 1_200, cursor: "1199", finished: true }]);
    expect((await readQueue(database)).every(({ requested }) => requested === 1)).toBe(true);
  });

  it("is resumed where it stopped by the next process", async () => {
    await know(600);
    await add("0", UINT256_MAX);
    await setup.sweeps().advance();
    await fetchSome(500);

    await setup.sweeps().advance();

    expect(await waitingIds()).toHaveLength(100);
    expect((await readQueue(database)).every(({ requested }) => requested === 1)).toBe(true);
  });

  it("asks for each token once though processes advance it at the same time", async () => {
    await know(600);
    await add("0", UINT256_MAX);

    for (let round = 0; round < 4; round++) {
      await Promise.all(Array.from({ length: 6 }, () => setup.sweeps().advance()));
      await fetchSome(300);
    }

    const rows = await readQueue(database);
    expect(rows).toHaveLength(600);
    expect(rows.every(({ requested }) => requested === 1)).toBe(true);
  });

  it("goes on beside tokens that wait for a paused host, up to 5,000 of them", async () => {
    await know(7_000);
    await database.query(
      "insert into vitrine.host (host, failures, paused_until, reason) values ('dead.example', 5, now() + interval '1 hour', 'timeout')",
    );
    await add("0", UINT256_MAX);
    const sweeps = setup.sweeps();
    const counts: number[] = [];

    for (let step = 0; step < 12; step++) {
      await sweeps.advance();
      // As a worker that finds their host paused.
      await database.query("update vitrine.refresh set host = 'dead.example'");
      counts.push((await waitingIds()).length);
    }

    expect(counts.slice(0, 3)).toEqual([500, 1_000, 1_500]);
    expect(counts.at(-1)).toBe(5_000);
    // The end of a pause is no matter of moments.
    expect(await sweeps.advance()).toBe("idle");
  });

  it("stands before no event and no request", async () => {
    await know(600);
    await add("0", UINT256_MAX);
    await setup.sweeps().advance();
    await ask(database, ["9001"], { trigger: "event" });
    await ask(database, ["9002"], { trigger: "rest" });

    const first = await claim(database, tables, SHARE, 2);

    expect(first.map(({ tokenId }) => tokenId).sort()).toEqual(["9001", "9002"]);
  });
});
