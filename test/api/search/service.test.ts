import { beforeEach, describe, expect, it } from "vitest";
import type { Database, Queryable } from "../../../src/api/db/database.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import type { TokenQuery } from "../../../src/api/search/query.ts";
import { createSearch } from "../../../src/api/search/service.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createBarrier } from "../../support/processes/worker.ts";
import { CHAIN_ID, COLLECTION, emptyTables } from "../../support/refresh/refresh.ts";
import { createTraitsHarness, number, text } from "../metadata/traits-harness.ts";
import { sorted } from "./model.ts";
import { ALL, collection, createSearchHarness } from "./search-harness.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const harness = createSearchHarness(test);
const fresh = createSearchHarness(test);
const traits = createTraitsHarness(test);

const byId: TokenQuery = { filter: ALL, sort: { by: "id", descending: false }, limit: 100 };
const idsOf = async (query: Partial<TokenQuery> = {}) => (await harness.page({ ...byId, ...query })).tokenIds;
const withClass = (...values: string[]) => ({ ...ALL, criteria: [{ name: "Class", values }] });

let head = 100;
/** Advances the checkpoint by a block. */
const passBlock = () => test.setHead({ chainId: CHAIN_ID, block: head++ });

async function setState(tokenId: string, state: { burned?: boolean; lockCount?: number; owner?: string }) {
  const { burned = false, lockCount = 0, owner = null } = state;
  await database.query(`delete from ${tables.tokenState} where collection_address = $1 and token_id = $2`, [
    COLLECTION,
    tokenId,
  ]);
  await test.insert("tokenState", {
    chainId: CHAIN_ID,
    collectionAddress: COLLECTION,
    tokenId,
    owner,
    burned,
    lockCount,
  });
}

beforeEach(async () => {
  await emptyTables(database);
  await database.query(`truncate ${tables.tokenState}, ${tables.tokenBalance}`);
  await passBlock();
});

describe("an answer", () => {
  it("holds what was committed before it was asked for", async () => {
    expect(await idsOf()).toEqual([]);
    await traits.record("7", [text("Class", "Mage")]);
    expect(await idsOf({ filter: withClass("Mage") })).toEqual(["7"]);
    await traits.record("7", [text("Class", "Rogue")]);
    expect(await idsOf({ filter: withClass("Mage") })).toEqual([]);
    await traits.forget("7");
    expect(await idsOf()).toEqual([]);
    await traits.record("7", [text("Class", "Mage")]);
    expect(await idsOf({ filter: withClass("Mage") })).toEqual(["7"]);
  });

  it("holds what a transaction wrote that began first and was committed last", async () => {
    await traits.record("1", [text("Class", "Mage")]);
    let early: Promise<unknown> = Promise.resolve();
    await database.transaction(async (slow) => {
      await traits.recordIn(slow, "2", [text("Class", "Mage")]);
      early = traits.record("3", []);
      await early;
      expect(await idsOf()).toEqual(["1", "3"]);
    });

    expect(await idsOf()).toEqual(["1", "2", "3"]);
    expect(await idsOf({ filter: withClass("Mage") })).toEqual(["1", "2"]);
  });

  it("waits for the next read where one has begun, which may have missed what its caller knows", async () => {
    const rateLimits = createBarrier();
    let reads = 0;
    const isChangeSet = ([row]: readonly unknown[]): boolean =>
      typeof row === "object" && row !== null && "snapshot" in row;
    const slow: Database = {
      ...database,
      async query<Row>(sql: string, parameters?: readonly unknown[]) {
        const rows = await database.query<Row>(sql, parameters);
        if (isChangeSet(rows) && ++reads === 3) await rateLimits.opened;
        return rows;
      },
    };
    const search = createSearch({ database: slow, tables, logger: silentLogger });
    await search.page(collection, byId);
    const early = search.page(collection, byId);
    await eventually(
      () => reads,
      (seen) => seen === 3,
    );
    await traits.record("1", []);

    const late = search.page(collection, byId);
    const later = search.page(collection, byId);
    rateLimits.open();

    expect((await early).tokenIds).toEqual([]);
    expect((await late).tokenIds).toEqual(["1"]);
    expect((await later).tokenIds).toEqual(["1"]);
    expect(reads).toBe(4);
  });

  it("follows an approval, which writes no token", async () => {
    await traits.record("1", [number("Level", 5)]);
    await traits.record("2", [text("Level", "five")]);
    expect(await harness.facets()).toMatchObject({
      traits: [{ display_type: "number", count: 1, min: 5, max_value: 5 }],
    });

    await traits.approve("Level", "string");

    expect(await harness.facets()).toMatchObject({
      traits: [{ display_type: "string", count: 1, min: null, max_value: null, values: [{ value: "five" }] }],
    });
    expect(await idsOf({ sort: { by: "trait", name: "Level", descending: true } })).toEqual(["2", "1"]);
  });

  it("lists a token without metadata, which has no name and no traits", async () => {
    await harness.metadata.addKnownTokens(database, CHAIN_ID, COLLECTION, new Map([["5", 1]]));
    await traits.record("6", [text("Class", "Mage")]);

    expect(await idsOf({ sort: { by: "name", descending: true } })).toEqual(["6", "5"]);
    expect(await harness.facets()).toMatchObject({
      total: 2,
      traits: [{ count: 1, values: [{ percentage: 50 }] }],
    });
  });

  it("is of one collection alone", async () => {
    await traits.record("1", []);
    const other = { ...collection, address: "0x00000000000000000000000000000000000000ff" };

    expect((await harness.search.page(other, byId)).tokenIds).toEqual([]);
    expect((await harness.search.page({ ...collection, chainId: 1 }, byId)).tokenIds).toEqual([]);
  });
});

describe("what the chain says", () => {
  it("is as a reorg has left it, before the next block", async () => {
    const alice = "0x00000000000000000000000000000000000000aa";
    const filters = [ALL, { ...ALL, locked: true }, { ...ALL, owners: [alice] }];
    const pages = () => Promise.all(filters.map((filter) => idsOf({ filter })));
    const totals = async () =>
      (await Promise.all(filters.map((filter) => harness.facets(filter)))).map(({ total }) => total);
    for (const tokenId of ["1", "2"]) await traits.record(tokenId, []);
    await setState("1", { burned: true });
    await setState("2", { lockCount: 1 });
    await passBlock();
    expect(await pages()).toEqual([["2"], ["2"], []]);
    expect(await totals()).toEqual([1, 1, 0]);

    await test.revert((tx) =>
      tx.query(`update ${tables.tokenState} set burned = false, lock_count = 0, owner = $1`, [alice]),
    );

    expect(await pages()).toEqual([["1", "2"], [], ["1", "2"]]);
    expect(await totals()).toEqual([2, 0, 2]);
  });

  it("is as another chain's next block has left it, which does again what a reorg there has undone here", async () => {
    const alice = "0x00000000000000000000000000000000000000aa";
    const alices = () => idsOf({ filter: { ...ALL, owners: [alice] } });
    const own = (owner: string) => (tx: Queryable) =>
      tx.query(`update ${tables.tokenState} set owner = $1`, [owner]);
    await traits.record("1", []);
    await setState("1", { owner: alice });
    await test.setHead({ chainId: 777, block: 10 });
    await passBlock();
    expect(await alices()).toEqual(["1"]);

    await test.revert(own("0x00000000000000000000000000000000000000bb"));
    expect(await alices()).toEqual([]);

    await database.transaction(async (tx) => {
      await own(alice)(tx);
      await tx.query(
        `update ${tables.checkpoint} set latest_checkpoint = latest_checkpoint where chain_id = 777`,
      );
    });
    expect(await alices()).toEqual(["1"]);
  });

  it("hides burned tokens from pages, facets, panels and counts, and shows them again after a reorg", async () => {
    const answers = async () => {
      const counted = [{ trait_type: "Class", display_type: "string", value: "Mage" }] as const;
      const [facets, panel] = [await harness.facets(), await harness.panel(withClass("Mage"))];
      return {
        ids: await idsOf({ filter: withClass("Mage") }),
        facets: [facets.total, facets.traits[0]?.values[0]?.count],
        panel: [panel.total, panel.traits[0]?.values[0]?.count],
        counts: await harness.search.countTraits(collection, counted),
        shown: [...(await harness.search.shownTypes(collection, ["Class"]))],
      };
    };
    const of = (ids: readonly string[]) => ({
      ids,
      facets: [ids.length, ids.length],
      panel: [ids.length, ids.length],
      counts: { counts: [{ count: ids.length }], total: ids.length },
      shown: ["Class"],
    });
    await traits.record("1", [text("Class", "Mage")]);
    await traits.record("2", [text("Class", "Mage")]);
    expect(await answers()).toMatchObject(of(["1", "2"]));

    await setState("1", { burned: true });
    await passBlock();

    expect(await answers()).toMatchObject(of(["2"]));

    await setState("1", {});
    await passBlock();

    expect(await answers()).toMatchObject(of(["1", "2"]));

    await traits.record("1", [text("Class", "Rogue")]);

    expect(await answers()).toMatchObject({
      ...of(["2"]),
      facets: [2, 1],
      panel: [1, 1],
      counts: { counts: [{ count: 1 }], total: 2 },
    });
  });

  it("hides a burned token that is recorded after its burn was read", async () => {
    await traits.record("1", []);
    await setState("2", { burned: true });
    await passBlock();
    await idsOf();

    await traits.record("2", []);

    expect(await idsOf()).toEqual(["1"]);
  });

  it("counts facets anew where tokens or what the chain says of them have changed, and in no other block", async () => {
    const alice = "0x00000000000000000000000000000000000000aa";
    const filters = [
      ALL,
      withClass("Mage"),
      { ...withClass("Mage"), locked: false },
      { ...ALL, owners: [alice] },
    ];
    const answers = async () => [
      ...(await Promise.all(filters.map((filter) => harness.facets(filter)))),
      await harness.panel(withClass("Mage")),
    ];
    const totals = async () => (await answers()).map(({ total }) => total);
    for (const tokenId of ["1", "2"]) await traits.record(tokenId, [text("Class", "Mage")]);
    await setState("1", { owner: alice });
    await setState("2", { owner: alice });
    await passBlock();
    const first = await answers();
    expect(await totals()).toEqual([2, 2, 2, 2, 2]);

    await passBlock();
    for (const [nth, answer] of (await answers()).entries()) expect(answer).toBe(first[nth]);

    await setState("2", { owner: alice, lockCount: 1 });
    await passBlock();
    expect(await totals()).toEqual([2, 2, 1, 2, 2]);
    expect((await answers())[0]).toBe(first[0]);

    await setState("2", { lockCount: 1 });
    await passBlock();
    expect(await totals()).toEqual([2, 2, 1, 1, 2]);

    await setState("2", { burned: true, lockCount: 1 });
    await passBlock();
    expect(await totals()).toEqual([1, 1, 1, 1, 1]);

    await traits.record("1", [text("Class", "Rogue")]);
    expect(await totals()).toEqual([1, 0, 0, 1, 0]);
  });

  it("filters by lock and by owner, of either standard, as of the newest block", async () => {
    const [alice, bob] = [
      "0x00000000000000000000000000000000000000aa",
      "0x00000000000000000000000000000000000000bb",
    ];
    for (const tokenId of ["1", "2", "3"]) await traits.record(tokenId, []);
    await setState("1", { owner: alice, lockCount: 2 });
    await setState("2", { owner: bob });
    const balance = { chainId: CHAIN_ID, collectionAddress: COLLECTION, tokenId: 3n };
    await test.insert("tokenBalance", { ...balance, holder: alice, balance: 2n });
    await test.insert("tokenBalance", { ...balance, holder: bob, balance: 0n });
    await passBlock();

    expect(await idsOf({ filter: { ...ALL, locked: true } })).toEqual(["1"]);
    expect(await idsOf({ filter: { ...ALL, locked: false } })).toEqual(["2", "3"]);
    expect(await idsOf({ filter: { ...ALL, owners: [alice] } })).toEqual(["1", "3"]);
    expect(await idsOf({ filter: { ...ALL, owners: [bob], locked: false } })).toEqual(["2"]);

    await setState("1", { owner: bob });
    await passBlock();

    expect(await idsOf({ filter: { ...ALL, owners: [bob] } })).toEqual(["1", "2"]);
    expect(await idsOf({ filter: { ...ALL, locked: true } })).toEqual([]);
  });
});

it("counts show how many tokens carry each value, out of how many are listed, and the highest ever", async () => {
  const long = "x".repeat(5_000);
  await traits.record("1", [text("Class", "Mage"), number("Level", 5)]);
  await traits.record("2", [text("Class", "Mage"), number("Level", 90)]);
  await traits.record("3", [text("Level", "hidden"), text("Class", long)]);
  await traits.record("2", [text("Class", "Mage"), number("Level", 5)]);
  await harness.metadata.addKnownTokens(database, CHAIN_ID, COLLECTION, new Map([["4", 1]]));

  const { counts, total, highest } = await harness.search.countTraits(collection, [
    { trait_type: "Class", display_type: "string", value: "Mage" },
    { trait_type: "Class", display_type: "string", value: long },
    { trait_type: "Level", display_type: "number", value: 5 },
    { trait_type: "Level", display_type: "number", value: 90 },
    { trait_type: "Level", display_type: "string", value: "hidden" },
    { trait_type: "Nobody's", display_type: "bool", value: true },
  ]);

  expect(counts).toEqual([
    { traitType: "Class", value: "Mage", count: 2 },
    { traitType: "Class", value: long, count: 1 },
    { traitType: "Level", value: "5", count: 2 },
  ]);
  expect(total).toBe(4);
  expect(highest).toEqual(new Map([["Level", 90]]));
});

it("few matches among many tokens come in every order as a scan finds them", async () => {
  const documents = Array.from({ length: 600 }, (_, at) => [
    String((at * 7_919) % 10_007),
    {
      name: `Hero ${at % 50}`,
      attributes: [text("Class", at % 97 === 0 ? "Rare" : "Common"), number("Level", at % 13)],
    },
  ]);
  await harness.record(new Map(documents as [string, object][]));
  const model = await harness.readModel();

  for (const sort of [
    { by: "id", descending: true },
    { by: "name", descending: false },
    { by: "name", descending: true },
    { by: "latest" },
    { by: "updated" },
    { by: "trait", name: "Level", descending: true },
  ] as const) {
    expect(await idsOf({ filter: withClass("Rare"), sort })).toEqual(sorted(model, withClass("Rare"), sort));
  }
});

it("a load that fails is an error for those who wait, and the next one loads anew", async () => {
  await traits.record("1", []);
  await database.query("alter table vitrine.trait_type rename to trait_type_gone");
  try {
    await expect(Promise.all([fresh.page(byId), fresh.facets()])).rejects.toThrow("trait_type");
  } finally {
    await database.query("alter table vitrine.trait_type_gone rename to trait_type");
  }

  expect((await fresh.page(byId)).tokenIds).toEqual(["1"]);
});

it("names are found without a search index too, in a few collections; the others are counted", async () => {
  await harness.record(new Map([["1", { name: "Hero" }]]));
  const search = createSearch({ database, tables, logger: silentLogger, memoryMax: 1 });
  const others = Array.from({ length: 5 }, (_, nth) => ({
    ...collection,
    address: `0x${String(nth).padStart(40, "f")}`,
  }));
  const asked = { text: "hero", limit: 10 };
  const hero = { tokenId: "1", name: "hero", match: "name", collection };

  expect(await search.findNamed([collection], asked)).toEqual({ found: [hero], unsearched: 0 });
  const { unsearched } = await search.findNamed([...others, collection], asked);
  expect(unsearched).toBe(2);
  await search.close();
});
