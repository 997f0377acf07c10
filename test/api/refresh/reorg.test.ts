import { beforeEach, describe, expect, it } from "vitest";
import { raiseHeads } from "../../../src/api/chain/index/head-mark.ts";
import { chainTables } from "../../../src/api/chain/index/tables.ts";
import type { Database } from "../../../src/api/db/database.ts";
import { claim } from "../../../src/api/refresh/queue/claim.ts";
import { complete } from "../../../src/api/refresh/queue/leases.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { ask, emptyTables, makeDue, readQueue, SHARE } from "../../support/refresh/refresh.ts";
import { createTriggerSetup, type TriggerSpec } from "../../support/refresh/triggers.ts";

const test = await createTestDatabase();
const { database } = test;
const setup = createTriggerSetup(test);
const triggers = setup.triggers();

beforeEach(async () => {
  await emptyTables(database);
  await setup.clear();
  await database.query("drop schema if exists next_chain cascade");
});

/** Completes every pending fetch. */
async function fetchAll(): Promise<void> {
  await makeDue(database);
  for (const lease of await claim(database, test.tables, SHARE, 100)) await complete(database, [lease]);
}

/** The pending tokens, each with its trigger. */
const waiting = async () =>
  (await readQueue(database))
    .filter(({ requested, done }) => requested > done)
    .map(({ tokenId, trigger, minBlock }) => ({ tokenId, trigger, minBlock }));

/** The triggers of a process that starts when the index has removed its last blocks, this handled trigger among them. */
async function restartWithout(trigger: TriggerSpec) {
  await setup.setChain(100, 70);
  await setup.add(trigger);
  await triggers.handleBatch();
  await fetchAll();
  await raiseHeads(database, test.tables);
  await setup.revert(71);
  return setup.triggers();
}

/** Triggers whose next pass, once armed, is overtaken by `change`: after it looked for what has gone, before it reads. */
function racingTriggers(change: () => Promise<void>) {
  let isArmed = false;
  const racing: Database = {
    ...database,
    transaction: (work, kind) =>
      database.transaction(
        (tx) =>
          work({
            async query(sql, parameters, name) {
              if (isArmed && sql.includes('as "isInOrder"')) {
                isArmed = false;
                await change();
              }
              return tx.query(sql, parameters, name);
            },
          }),
        kind,
      ),
  };
  const { triggers } = createTriggerSetup({ ...test, database: racing });
  const arm = (): void => {
    isArmed = true;
  };
  return { triggers: triggers(), arm };
}

describe("a reorg", () => {
  it("that reverts a trigger has its token read again, at whatever block is left", async () => {
    await setup.setChain(100, 70);
    await setup.add({ block: 90, token: 1n });
    await setup.add({ block: 80, token: 2n });
    await triggers.handleBatch();
    await fetchAll();

    await setup.revert(85);
    await triggers.handleBatch();

    expect(await waiting()).toEqual([{ tokenId: "1", trigger: "reorg", minBlock: 0 }]);
  });

  it("is distinguished from a restart, which removes the last blocks until the index is where it was", async () => {
    let seconds = 0;
    const restarted = setup.triggers(test.tables, () => seconds * 1_000);
    await setup.setChain(100, 70);
    await setup.add({ block: 90, token: 1n });
    await restarted.handleBatch();
    await fetchAll();
    await raiseHeads(database, test.tables);

    await setup.revert(71);
    for (const head of [70, 80, 90]) {
      await setup.setChain(head, 70);
      await restarted.handleBatch();
      seconds += 4;
    }
    await setup.add({ block: 90, token: 1n });
    await setup.setChain(100, 70);
    await restarted.handleBatch();

    expect(await waiting()).toEqual([]);
  });

  it("that leaves the chain shorter is seen once the index stands still", async () => {
    let seconds = 0;
    const triggersAtRestart = setup.triggers(test.tables, () => seconds * 1_000);
    await setup.setChain(100, 70);
    await setup.add({ block: 90, token: 1n });
    await triggersAtRestart.handleBatch();
    await fetchAll();
    await raiseHeads(database, test.tables);

    await setup.revert(85);
    await setup.setChain(84, 70);
    await triggersAtRestart.handleBatch();
    expect(await waiting()).toEqual([]);
    seconds += 5;
    await triggersAtRestart.handleBatch();

    expect(await waiting()).toEqual([{ tokenId: "1", trigger: "reorg", minBlock: 0 }]);
  });

  it("that left the chain shorter during a restart is seen once the index stands still past what it reverted", async () => {
    let seconds = 0;
    const restarted = setup.triggers(test.tables, () => seconds * 1_000);
    await setup.setChain(100, 70);
    await setup.add({ block: 80, token: 1n });
    await setup.add({ block: 90, token: 2n });
    await restarted.handleBatch();
    await fetchAll();

    await setup.restart(71);
    await setup.setReady(true);
    await setup.setChain(84, 70);
    for (; seconds <= 5; seconds += 5) await restarted.handleBatch();

    expect(await waiting()).toEqual([{ tokenId: "1", trigger: "reorg", minBlock: 0 }]);
  });

  it.each<[string, () => Promise<void>]>([
    ["away while the index is built", async () => {}],
    ["away since", () => setup.setReady(true)],
    [
      "behind",
      async () => {
        await setup.setReady(true);
        await setup.setChain(84, 70);
      },
    ],
  ])("is not concluded from a node that is %s after a restart", async (_where, reach) => {
    let seconds = 0;
    const restarted = setup.triggers(test.tables, () => seconds * 1_000);
    await setup.setChain(100, 70);
    await setup.add({ block: 90, source: "mint", token: 1n });
    await restarted.handleBatch();
    await fetchAll();

    await setup.restart(85);
    await reach();
    for (; seconds <= 60; seconds += 5) await restarted.handleBatch();
    await setup.setReady(true);
    await setup.add({ block: 90, source: "mint", token: 1n });
    await setup.setChain(101, 70);
    await restarted.handleBatch();

    expect(await waiting()).toEqual([]);
  });

  it("of another chain, which undoes rows here until the next block, has nothing read again", async () => {
    await setup.setChain(100, 70);
    await setup.add({ block: 90, source: "mint", token: 1n });
    await triggers.handleBatch();
    await fetchAll();

    await test.revert((tx) => tx.query(`delete from ${test.tables.metadataUpdate}`));
    await triggers.handleBatch();
    expect(await setup.remembered()).toHaveLength(1);
    await setup.add({ block: 90, source: "mint", token: 1n });
    await setup.setChain(50, 20, 777);
    await triggers.handleBatch();

    expect(await waiting()).toEqual([]);
  });

  it.each([
    ["while its index is built", true],
    ["after it", false],
  ])(
    "during a downtime that is longer than finality is answered, with the head seen %s",
    async (_when, isEarly) => {
      await setup.setChain(100, 70);
      await setup.add({ block: 90, token: 1n });
      await triggers.handleBatch();
      await fetchAll();

      await setup.setReady(false);
      await test.revert((tx) =>
        tx.query(`delete from ${test.tables.metadataUpdate} where block_number >= 71`),
      );
      await raiseHeads(database, test.tables);
      const next = setup.triggers();
      await next.handleBatch();
      // All blocks of before are final by now.
      await setup.setChain(170, 170);
      if (isEarly) await raiseHeads(database, test.tables);
      await next.handleBatch();
      await setup.setReady(true);
      await next.handleBatch();
      await setup.setChain(200, 170);
      await next.handleBatch();
      await raiseHeads(database, test.tables);
      await setup.setChain(201, 170);
      await next.handleBatch();

      expect(await waiting()).toEqual([{ tokenId: "1", trigger: "reorg", minBlock: 0 }]);
      expect(await database.query("select id from vitrine.cause")).toEqual([]);
    },
  );

  it("of a mint has the token read again when it is minted anew, whatever was read before", async () => {
    await setup.setChain(100, 70);
    await setup.add({ block: 90, source: "mint", token: 1n });
    await triggers.handleBatch();
    await fetchAll();
    await setup.know({ "1": 90 });
    // A request that outranks the reorg finds no token: what was read before stays.
    await ask(database, ["1"], { trigger: "rest" });
    await setup.revert(85);
    await triggers.handleBatch();
    await fetchAll();

    await setup.add({ block: 88, source: "mint", token: 1n, hash: "0xnew" });
    await setup.setChain(101, 70);
    await triggers.handleBatch();

    expect(await waiting()).toEqual([{ tokenId: "1", trigger: "mint", minBlock: 88 }]);
  });

  it("is answered once", async () => {
    await setup.setChain(100, 70);
    await setup.add({ block: 90, token: 1n });
    await triggers.handleBatch();
    await setup.revert(85);
    await triggers.handleBatch();
    await fetchAll();

    await triggers.handleBatch();

    expect(await waiting()).toEqual([]);
    expect(await setup.remembered()).toEqual([]);
  });

  it("that brings the same event in another block has its token read at that block", async () => {
    await setup.setChain(100, 70);
    await setup.add({ block: 90, token: 1n, hash: "0xold" });
    await triggers.handleBatch();
    await fetchAll();

    await setup.revert(85);
    await setup.add({ block: 90, token: 1n, hash: "0xnew" });
    await triggers.handleBatch();

    expect(await waiting()).toEqual([{ tokenId: "1", trigger: "event", minBlock: 90 }]);
    await fetchAll();
    await triggers.handleBatch();
    expect(await waiting()).toEqual([]);
  });

  it("that brings another event before the one it reverts has both tokens read", async () => {
    await setup.setChain(100, 70);
    await setup.add({ block: 88, token: 3n });
    await setup.add({ block: 90, log: 5, token: 1n, hash: "0xold" });
    await triggers.handleBatch();
    await fetchAll();

    await setup.revert(89);
    await setup.add({ block: 90, log: 2, token: 2n, hash: "0xnew" });
    await triggers.handleBatch();

    expect(await waiting()).toEqual([
      { tokenId: "1", trigger: "reorg", minBlock: 0 },
      { tokenId: "2", trigger: "event", minBlock: 90 },
    ]);
  });

  it("during a restart is found when the index has caught up, though newer triggers were handled before", async () => {
    const restarted = await restartWithout({ block: 90, token: 1n });

    await setup.add({ block: 80, token: 3n });
    await setup.setChain(80, 70);
    await restarted.handleBatch();
    expect(await waiting()).toEqual([{ tokenId: "3", trigger: "event", minBlock: 80 }]);
    await fetchAll();
    await setup.add({ block: 95, token: 2n });
    await setup.setChain(95, 70);
    await restarted.handleBatch();
    expect(await waiting()).toEqual([{ tokenId: "2", trigger: "event", minBlock: 95 }]);
    await fetchAll();
    await setup.setChain(101, 70);
    await restarted.handleBatch();

    expect(await waiting()).toEqual([{ tokenId: "1", trigger: "reorg", minBlock: 0 }]);
  });

  it("during a restart that brings another event under the same id is followed, though newer ones were handled before", async () => {
    const restarted = await restartWithout({ block: 90, token: 1n, hash: "0xold" });

    await setup.add({ block: 90, token: 2n, hash: "0xnew" });
    await setup.add({ block: 95, token: 3n });
    await setup.setChain(95, 70);
    await restarted.handleBatch();
    await setup.setChain(101, 70);
    await restarted.handleBatch();

    expect((await waiting()).map(({ tokenId, trigger }) => `${tokenId} ${trigger}`)).toEqual([
      "1 reorg",
      "2 event",
      "3 event",
    ]);
  });

  it("that comes between two statements of a pass is followed", async () => {
    const other = setup.triggers();
    const racing = racingTriggers(async () => {
      await setup.revert(85);
      await setup.add({ block: 90, token: 2n, hash: "0xnew" });
      await setup.add({ block: 91, token: 3n });
    });
    await setup.setChain(100, 70);
    await setup.add({ block: 90, token: 1n, hash: "0xold" });
    await other.handleBatch();
    await racing.triggers.handleBatch();
    await fetchAll();

    racing.arm();
    await racing.triggers.handleBatch();
    await other.handleBatch();

    expect((await waiting()).map(({ tokenId, trigger }) => `${tokenId} ${trigger}`)).toEqual([
      "1 reorg",
      "2 event",
      "3 event",
    ]);
  });

  it("is found by another process than the one that handled newer triggers during the restart", async () => {
    const restarted = await restartWithout({ block: 90, token: 1n });

    await setup.add({ block: 95, token: 2n });
    await setup.setChain(95, 70);
    await restarted.handleBatch();
    await fetchAll();
    await setup.setChain(101, 70);
    await triggers.handleBatch();

    expect(await waiting()).toEqual([{ tokenId: "1", trigger: "reorg", minBlock: 0 }]);
  });

  it("that reverts a range sweeps it again, from a block that exists", async () => {
    await setup.setChain(100, 70);
    await setup.know({ 1: 95, 2: 95 });
    await setup.add({ block: 90, from: 0n, to: 10n });
    await triggers.handleBatch();
    await setup.sweeps().advance();
    await fetchAll();

    await setup.revert(85);
    await triggers.handleBatch();
    await setup.sweeps().advance();

    expect(await database.query("select block::int from vitrine.sweep order by id")).toEqual([
      { block: 90 },
      { block: 0 },
    ]);
    expect(await waiting()).toMatchObject([
      { tokenId: "1", minBlock: 0 },
      { tokenId: "2", minBlock: 0 },
    ]);
  });

  it("while nobody watched loses no trigger, though it has settled since", async () => {
    await setup.setChain(100, 70);
    await setup.know({ 1: null });
    await triggers.handleBatch();
    // Read on the lost side of the fork, above the block of the other side's trigger.
    await setup.know({ 1: 100 });

    await setup.setChain(300, 270);
    await setup.add({ block: 99, token: 1n });
    await triggers.handleBatch();

    expect(await waiting()).toMatchObject([{ tokenId: "1", trigger: "event" }]);
  });
});

describe("an index that is built again under another name", () => {
  it("asks for nothing that was read since, be it settled or young", async () => {
    await setup.setChain(100, 70);
    await setup.add({ block: 50, source: "mint", token: 1n });
    await setup.add({ block: 90, token: 1n });
    await setup.add({ block: 60, source: "mint", token: 2n });
    await triggers.handleBatch();
    await fetchAll();
    await setup.know({ 1: 95, 2: 60 });

    const next = setup.triggers(await setup.reindexAs("next_chain"));
    await next.handleBatch();

    expect(await waiting()).toEqual([]);
    const cursors = await database.query<{ schema: string }>(
      "select schema from vitrine.cause_cursor order by schema",
    );
    expect(cursors.map(({ schema }) => schema)).toEqual(["next_chain", "test_chain"]);
  });

  it("asks for what was never read well, and for what only the new index has", async () => {
    await setup.setChain(100, 70);
    await setup.add({ block: 50, source: "mint", token: 1n });
    await setup.add({ block: 51, source: "mint", token: 2n });
    await triggers.handleBatch();
    await fetchAll();
    await setup.know({ 1: null, 2: 95, 3: 30 });
    await setup.setChain(200, 170);
    await setup.add({ block: 150, token: 3n });
    await setup.add({ block: 40, source: "mint", token: 4n });

    const next = setup.triggers(await setup.reindexAs("next_chain"));
    await next.handleBatch();

    expect((await waiting()).map(({ tokenId }) => tokenId)).toEqual(["1", "3", "4"]);
  });

  it("sweeps an old range for what was not read since", async () => {
    await setup.setChain(100, 70);
    await setup.know({ 1: 95, 2: 40, 3: null });
    await setup.add({ block: 50, from: 0n, to: 10n });
    await triggers.handleBatch();
    await setup.sweeps().advance();

    await setup.triggers(await setup.reindexAs("next_chain")).handleBatch();

    expect(await database.query('select skip_read as "skipRead" from vitrine.sweep order by id')).toEqual([
      { skipRead: false },
      { skipRead: true },
    ]);
  });

  it("has a cursor and a memory of its own", async () => {
    await setup.setChain(100, 70);
    await setup.add({ block: 90, token: 1n });
    await triggers.handleBatch();
    const next = setup.triggers(await setup.reindexAs("next_chain"));
    await next.handleBatch();
    await fetchAll();

    await database.query(`delete from ${chainTables("next_chain").metadataUpdate}`);
    await triggers.handleBatch();
    expect(await waiting()).toEqual([]);
    await next.handleBatch();

    expect(await waiting()).toMatchObject([{ tokenId: "1", trigger: "reorg" }]);
  });
});
