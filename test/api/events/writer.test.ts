import { beforeEach, describe, expect, it } from "vitest";
import { createServingIndexes } from "../../../src/api/chain/index/serving-indexes.ts";
import { readDifference } from "../../../src/api/events/feed-store.ts";
import { createLockSetup } from "../../support/chain/lock-events.ts";
import { CHAIN_SCHEMA, countRowsRead, createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database } = test;
const locks = createLockSetup(test);
const writer = locks.writer();
const OTHER = "0x00000000000000000000000000000000000000bb";

beforeEach(async () => {
  await locks.clear();
  await locks.setChain(100, 70);
  await locks.setReady(true);
  await writer.writeBatch();
});

/** Writes all pending events. */
const writeAll = async (by = writer): Promise<void> => {
  while (await by.writeBatch()) {}
};

describe("the stream", () => {
  it("reports each lock and unlock once, in chain order, with ids that have no gaps", async () => {
    await locks.add({ block: 92, direction: "unlock" });
    await locks.add({ block: 91, token: 2n ** 255n });
    await locks.add({ block: 91, log: 1, token: 0n });

    await writeAll();
    await writeAll();

    expect(await locks.published()).toEqual([
      { id: 1, type: "lock", token: String(2n ** 255n), reverts: null },
      { id: 2, type: "lock", token: "0", reverts: null },
      { id: 3, type: "unlock", token: "1", reverts: null },
    ]);
  });

  it("has no gap and nothing twice when many processes write it at the same time, batch by batch", async () => {
    await locks.addMany(95, 9_500);

    await Promise.all(Array.from({ length: 6 }, () => writeAll(locks.writer())));
    await writeAll();

    const [row] = await database.query(
      "select count(*)::int, min(id)::int, max(id)::int, count(distinct source)::int as sources from vitrine.event",
    );
    expect(row).toEqual({ count: 9_500, min: 1, max: 9_500, sources: 9_500 });
  });

  it("finds a burst of one collection without reading all of it for each of its events", async () => {
    const burst = 2_000;
    await createServingIndexes(test.url, CHAIN_SCHEMA);
    // PostgreSQL's statistics are of a time when another chain alone had such events.
    await locks.add({ block: 94 });
    await database.query(`update ${test.tables.lockEvent} set chain_id = chain_id + 1`);
    await database.query(`analyze vitrine.event, ${test.tables.lockEvent}`);
    await locks.addMany(95, burst);
    await writeAll();
    await locks.addMany(96, burst);
    const query = { chainId: CHAIN_ID, handled: "0", collections: [COLLECTION], limit: burst };

    const read = await database.transaction((tx) =>
      countRowsRead(tx, [CHAIN_SCHEMA, "vitrine"], async () => {
        expect((await readDifference(tx, test.tables, query))?.fresh).toHaveLength(burst);
      }),
    );

    expect(read).toBeLessThan(20 * burst);
  });

  it("starts with what may still change: what was settled when the first index got ready is no news", async () => {
    await locks.clear();
    await locks.add({ block: 50, token: 5n });
    await locks.add({ block: 80, token: 8n });
    await locks.setChain(100, 70);
    await locks.setReady(true);

    await writeAll();

    expect(await locks.published()).toMatchObject([{ id: 1, token: "8" }]);
  });

  it("reports what happened while nobody looked, settled or not", async () => {
    await locks.add({ block: 150, token: 1n });
    await locks.add({ block: 350, token: 2n });
    await locks.setChain(360, 330);

    await writeAll();

    expect(await locks.published()).toMatchObject([{ token: "1" }, { token: "2" }]);
  });
});

describe("a reorg", () => {
  it("is followed by `reverted` for each event that is gone, the newest first, and then by what came instead", async () => {
    await locks.add({ block: 90, token: 1n });
    await locks.add({ block: 95, token: 2n });
    await locks.add({ block: 96, token: 3n });
    await writeAll();

    await locks.revert(95);
    await locks.add({ block: 97, token: 3n, transaction: "0xwinner" });
    await locks.setChain(101, 71);
    await writeAll();
    await writeAll();

    expect((await locks.published()).slice(3)).toEqual([
      { id: 4, type: "reverted", token: "3", reverts: 3 },
      { id: 5, type: "reverted", token: "2", reverts: 2 },
      { id: 6, type: "lock", token: "3", reverts: null },
    ]);
  });

  it("reports another transaction in the same place, and of another count after the same one", async () => {
    await locks.add({ block: 95, token: 2n });
    await locks.add({ block: 96, token: 2n, countAfter: 2 });
    await writeAll();

    await locks.revert(95);
    await locks.add({ block: 95, token: 2n, transaction: "0xother" });
    await locks.add({ block: 96, token: 2n, countAfter: 1 });
    await writeAll();

    expect((await locks.published()).map(({ type, reverts }) => reverts ?? type)).toEqual([
      "lock",
      "lock",
      2,
      1,
      "lock",
      "lock",
    ]);
  });

  it("that puts an event before one that stays repeats that one, so that the last has the token's state", async () => {
    await locks.add({ block: 95, token: 2n });
    await locks.add({ block: 96, token: 3n });
    await writeAll();

    await locks.add({ block: 94, token: 2n, transaction: "0xwinner" });
    await writeAll();
    await writeAll();

    expect((await locks.published()).slice(2)).toEqual([
      { id: 3, type: "reverted", token: "2", reverts: 1 },
      { id: 4, type: "lock", token: "2", reverts: null },
      { id: 5, type: "lock", token: "2", reverts: null },
    ]);
    const sources = await database.query<{ source: string; open: boolean }>(
      "select source, open from vitrine.event where type = 'lock' order by id",
    );
    expect(sources.map(({ open }) => open)).toEqual([false, true, true, true]);
    expect(sources[3]?.source).toBe(sources[0]?.source);
  });

  it("that adds more than a batch reads is read on from the last of them, not from what is repeated", async () => {
    await locks.add({ block: 97, token: 2n });
    await writeAll();
    await locks.add({ block: 94, token: 2n, transaction: "0xwinner" });
    await locks.add({ block: 95, token: 3n });
    const of = async (limit: number) => {
      const query = { chainId: CHAIN_ID, handled: "0", collections: [COLLECTION], limit };
      const read = await readDifference(database, test.tables, query);
      return { fresh: read?.fresh.map(({ source }) => source), last: read?.last };
    };

    const { fresh: [first, second, third] = [] } = await of(3);
    expect(third).toBeDefined();
    expect(await of(1)).toEqual({ fresh: [first, third], last: first });
    expect(await of(2)).toEqual({ fresh: [first, second, third], last: second });
    expect(await of(3)).toEqual({ fresh: [first, second, third], last: null });
  });

  it("that puts a default before one that stays repeats that one alone", async () => {
    await locks.add({ block: 95, token: null });
    await locks.add({ block: 96, token: 3n });
    await writeAll();

    await locks.add({ block: 94, token: null, transaction: "0xwinner" });
    await writeAll();

    expect((await locks.published()).slice(2)).toMatchObject([
      { type: "reverted", token: null, reverts: 1 },
      { type: "default_lock", token: null },
      { type: "default_lock", token: null },
    ]);
  });

  it("that brings the same events back reverts none of them", async () => {
    await locks.add({ block: 95 });
    await writeAll();

    await locks.revert(95);
    await locks.add({ block: 95 });
    await writeAll();

    expect(await locks.published()).toHaveLength(1);
  });

  it("of another chain, which undoes rows here until the next block, reverts and repeats nothing", async () => {
    await locks.add({ block: 95 });
    await writeAll();

    await test.revert((tx) => tx.query(`delete from ${test.tables.lockEvent}`));
    await writeAll();
    await locks.add({ block: 95 });
    await test.setHead({ chainId: 777, block: 10 });
    await writeAll();

    expect(await locks.published()).toHaveLength(1);
  });

  it("of events that were settled meanwhile, unseen, is published as well", async () => {
    await locks.add({ block: 95 });
    await writeAll();

    await locks.revert(95);
    await locks.setChain(400, 370);
    await writeAll();

    expect(await locks.published()).toMatchObject([{ id: 1 }, { type: "reverted", reverts: 1 }]);
  });

  it("reverts nothing that had settled", async () => {
    await locks.add({ block: 95 });
    await writeAll();
    await locks.setChain(400, 370);
    await writeAll();

    await locks.revert(95);
    await writeAll();

    expect(await locks.published()).toHaveLength(1);
  });
});

describe("a restart", () => {
  it("that takes the newest rows away for a while reverts nothing and repeats nothing", async () => {
    await locks.add({ block: 95, token: 1n });
    await locks.add({ block: 99, token: 2n });
    await writeAll();

    // Not ready, then ready at the old head without the rows, then a few blocks later.
    await locks.setReady(false);
    await locks.revert(71);
    await writeAll();
    await locks.setReady(true);
    await writeAll();
    await locks.setChain(80, 70);
    await writeAll();
    await locks.add({ block: 95, token: 1n });
    await locks.add({ block: 99, token: 2n });
    await locks.add({ block: 101, token: 3n });
    await locks.setChain(102, 72);
    await writeAll();

    expect(await locks.published()).toMatchObject([
      { id: 1, token: "1" },
      { id: 2, token: "2" },
      { id: 3, type: "lock", token: "3" },
    ]);
  });
});

describe("another index of the same chain", () => {
  it("publishes nothing while the first one does, not even what that one has not seen yet", async () => {
    const tables = await locks.reindexAs("beside");
    await locks.add({ block: 99 });
    await locks.add({ block: 98, token: 9n }, tables);

    await writeAll(locks.writer(tables));
    await writeAll();

    expect(await locks.published()).toMatchObject([{ id: 1, token: "1" }]);
  });

  it("goes on where the first one ended, and repeats nothing", async () => {
    await locks.add({ block: 60, token: 6n });
    await locks.add({ block: 95, token: 1n });
    await writeAll();
    const tables = await locks.reindexAs("next");
    await locks.add({ block: 99, token: 2n }, tables);

    await database.query("update vitrine.event_feed set seen_at = now() - interval '11 seconds'");
    await writeAll(locks.writer(tables));
    await writeAll();

    expect(await locks.published()).toMatchObject([
      { id: 1, token: "1" },
      { id: 2, token: "2" },
    ]);
    expect(await database.query("select schema from vitrine.event_feed")).toEqual([{ schema: "next" }]);
  });

  it("takes over from one that stands still, though processes still serve it", async () => {
    const tables = await locks.reindexAs("ahead");
    await locks.add({ block: 165, token: 7n }, tables);
    await locks.setChain(170, 140, tables);
    await locks.setReady(true, tables);

    await writeAll();
    await writeAll(locks.writer(tables));

    expect(await locks.published()).toMatchObject([{ id: 1, token: "7" }]);
  });

  it("without a collection of the first reverts nothing of that one", async () => {
    await locks.add({ block: 95, collection: OTHER });
    await writeAll(locks.writer(test.tables, [COLLECTION, OTHER]));
    const tables = await locks.reindexAs("fewer");
    await database.query(`delete from ${tables.lockEvent}`);

    await database.query("update vitrine.event_feed set seen_at = now() - interval '11 seconds'");
    await writeAll(locks.writer(tables, [COLLECTION]));

    expect(await locks.published()).toHaveLength(1);
  });

  it("without a collection of the first publishes once what a reorg put in its events' place", async () => {
    await locks.add({ block: 95, collection: OTHER });
    await writeAll(locks.writer(test.tables, [COLLECTION, OTHER]));
    const tables = await locks.reindexAs("fewer");
    await database.query(`update ${tables.lockEvent} set collection_address = $1`, [COLLECTION]);

    await database.query("update vitrine.event_feed set seen_at = now() - interval '11 seconds'");
    const fewer = locks.writer(tables, [COLLECTION]);
    for (let pass = 0; pass < 3; pass++) await writeAll(fewer);

    expect(await locks.published()).toHaveLength(2);
  });
});

describe("metadata", () => {
  const insertVersion = (number: number, outcome: string) =>
    database.query(
      `insert into vitrine.version (chain_id, collection, token_id, number, trigger, outcome, content_hash, duration_ms)
       values ($1, $2, 0, $3, 'event', $4, $5, 1)`,
      [CHAIN_ID, COLLECTION, number, outcome, `hash ${number}`],
    );

  it("is reported when what is served changes, and not when a fetch changes nothing", async () => {
    await insertVersion(1, "updated");
    await insertVersion(2, "failed");
    await insertVersion(3, "rejected");
    await insertVersion(4, "updated");

    await writeAll();
    await writeAll();

    expect(
      await database.query(
        "select id::int, type, token_id::text as token, version, content_hash as hash from vitrine.event",
      ),
    ).toEqual([
      { id: 1, type: "metadata", token: "0", version: 1, hash: "hash 1" },
      { id: 2, type: "metadata", token: "0", version: 4, hash: "hash 4" },
    ]);
  });

  it("that was recorded by a transaction which ended late is not missed", async () => {
    await database.query("truncate vitrine.version");
    let release = (): void => {};
    const late = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slow = database.transaction(async (tx) => {
      await tx.query(
        `insert into vitrine.version (chain_id, collection, token_id, number, trigger, outcome, content_hash, duration_ms)
         values ($1, $2, 8, 1, 'event', 'updated', 'late', 1)`,
        [CHAIN_ID, COLLECTION],
      );
      await late;
    });
    await insertVersion(1, "updated");
    await writeAll();

    release();
    await slow;
    await writeAll();

    expect((await locks.published()).map(({ token }) => token)).toEqual(["0", "8"]);
  });
});
