/** Events of all lock standards, as stream clients receive them. */

import { beforeEach, describe, expect, it } from "vitest";
import { chainTables } from "../../../src/api/chain/index/tables.ts";
import { readAfter } from "../../../src/api/events/stream-store.ts";
import { createLockSetup } from "../../support/chain/lock-events.ts";
import { CHAIN_SCHEMA, createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, COLLECTION } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database } = test;
const locks = createLockSetup(test);
const boolean = chainTables(CHAIN_SCHEMA, [
  { chainId: CHAIN_ID, address: COLLECTION, startBlock: 0, locks: "boolean" },
]);

beforeEach(async () => {
  await locks.clear();
  await locks.setChain(100, 70);
  await locks.setReady(true);
  await locks.writer().writeBatch();
});

async function write(tables = test.tables): Promise<void> {
  while (await locks.writer(tables).writeBatch()) {}
}

async function published(): Promise<Record<string, unknown>[]> {
  return (await readAfter(database, 0, 1_000, "")).map(({ text }) =>
    JSON.parse(/^data: (.*)$/m.exec(text)?.[1] ?? ""),
  );
}

describe("a lock", () => {
  it("names its standard, and nobody where its event names nobody", async () => {
    await locks.add({ block: 91, standard: "erc5192", by: null });
    await locks.add({ block: 92, standard: "erc5192", by: null, direction: "unlock" });
    await write();
    await write();

    expect(await published()).toMatchObject([
      { type: "lock", standard: "erc5192", approved_contract: null, lock_count: 1, locked: true },
      { type: "unlock", standard: "erc5192", approved_contract: null, lock_count: 0, locked: false },
    ]);
  });

  it("counts the default of the collection as it was then, unless the token has an event of its own", async () => {
    await locks.add({ block: 91, standard: "erc721x", direction: "unlock" });
    await locks.add({ block: 92, standard: "erc6982", token: null, by: null });
    await locks.add({ block: 93, standard: "erc721x" });
    await locks.add({ block: 94, standard: "erc6982", by: null, direction: "unlock", followsDefault: false });
    await locks.add({ block: 95, standard: "erc6982", token: null, by: null, direction: "unlock" });
    await locks.add({ block: 96, standard: "erc721x", direction: "unlock" });
    await write();

    expect((await published()).map(({ type, lock_count, locked }) => [type, lock_count, locked])).toEqual([
      ["unlock", 0, false],
      ["default_lock", undefined, true],
      ["lock", 2, true],
      ["unlock", 0, false],
      ["default_lock", undefined, false],
      ["unlock", 0, false],
    ]);
  });
});

describe("a default", () => {
  it("is published once for all tokens, by an event of its own type without a token", async () => {
    await locks.add({ block: 91, standard: "erc6982", token: null, by: null });
    await write();
    await write();

    const [event] = await published();
    expect(event).toEqual({
      id: 1,
      type: "default_lock",
      chain_id: CHAIN_ID,
      collection_address: COLLECTION,
      token_id: null,
      at: expect.any(String),
      standard: "erc6982",
      locked: true,
      transaction_hash: "0xt91",
      block: 91,
      block_time: expect.any(String),
    });
  });

  it("that a reorg removes or inverts is reverted, and one that comes back is not", async () => {
    const spec = { block: 95, standard: "erc6982", token: null, by: null } as const;
    await locks.add(spec);
    await write();
    await locks.revert(95);
    await locks.add(spec);
    await write();
    expect(await published()).toHaveLength(1);

    await locks.revert(95);
    await locks.add({ ...spec, direction: "unlock" });
    await write();
    await write();
    expect(await published()).toMatchObject([
      { type: "default_lock", locked: true },
      { type: "reverted", reverts: 1, reverted_type: "default_lock", token_id: null },
      { type: "default_lock", locked: false },
    ]);
  });
});

describe('with `locks: "boolean"`', () => {
  const lockTwice = async () => {
    await locks.add({ block: 91, countAfter: 1, flagCountAfter: 1 });
    await locks.add({ block: 92, countAfter: 2, flagCountAfter: 1 });
    await locks.add({ block: 93, direction: "unlock", countAfter: 1, flagCountAfter: 0 });
    await locks.add({ block: 94, direction: "unlock", countAfter: 0, flagCountAfter: 0, anomaly: true });
  };

  it("the last event decides, and none is surplus", async () => {
    await lockTwice();
    await write(boolean);

    expect(
      (await published()).map(({ lock_count, locked, surplus }) => [lock_count, locked, surplus]),
    ).toEqual([
      [1, true, false],
      [1, true, false],
      [0, false, false],
      [0, false, false],
    ]);
  });

  it("a restart with the other reading reverts nothing and repeats nothing", async () => {
    await lockTwice();
    await write();
    await write(boolean);
    await locks.add({ block: 96, countAfter: 1, flagCountAfter: 1 });
    await write(boolean);

    expect((await published()).map(({ type, lock_count, surplus }) => [type, lock_count, surplus])).toEqual([
      ["lock", 1, false],
      ["lock", 2, false],
      ["unlock", 1, false],
      ["unlock", 0, true],
      ["lock", 1, false],
    ]);
  });
});

it("what was published before there were other standards is the same, and not published again", async () => {
  await locks.add({ block: 95 });
  await write();
  await database.query("update vitrine.event set standard = null, count_after = null");
  await write();

  expect(await published()).toMatchObject([{ type: "lock", standard: "erc721x", lock_count: 1 }]);
});
