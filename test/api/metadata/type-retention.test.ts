import { beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { forgetUnusedValues } from "../../../src/api/metadata/traits/value-retention.ts";
import { createCollectionSearch } from "../../../src/api/search/collection-search.ts";
import { createDatabaseSearch } from "../../../src/api/search/sql/database-search.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { countWaiting } from "../../support/database/keep-locked.ts";
import { eventually } from "../../support/eventually.ts";
import { createBarrier } from "../../support/processes/worker.ts";
import { CHAIN_ID, emptyTables } from "../../support/refresh/refresh.ts";
import { collectionRef, createTraitsHarness, number, text } from "./traits-harness.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const { record, recordDuring, forget, approve, pending, served, highest } = createTraitsHarness(test);

/** The known display types, by name. */
const types = async (): Promise<Record<string, string>> =>
  Object.fromEntries(
    (
      await database.query<{ name: string; type: string }>(
        "select trait_type as name, display_type as type from vitrine.trait_type order by key",
      )
    ).map(({ name, type }) => [name, type]),
  );
const count = async (table: string): Promise<number> =>
  (await database.query(`select from vitrine.${table}`)).length;
const shown = async (tokenId: string) =>
  (await served(tokenId))?.metadata?.traits.map(({ trait_type, value }) => [trait_type, value]);
const passDays = (days: number) =>
  database.query(
    "update vitrine.trait_type set values_deleted_at = values_deleted_at - $1 * interval '1 day'",
    [days],
  );
/** The daily job after the last token lost its values, and the one of a week later. */
async function forgetAWeekLater(): Promise<void> {
  await forgetUnusedValues.run(database);
  await passDays(7);
  await forgetUnusedValues.run(database);
}

beforeEach(() => emptyTables(database));

describe("a trait type", () => {
  it("is deleted a week after its values, so a host that renames its traits at each fetch leaves none behind", async () => {
    const named = (fetch: number) => Array.from({ length: 600 }, (_, nth) => text(`${fetch} ${nth}`, "x"));
    for (const fetch of [1, 2, 3]) await record("1", named(fetch));
    expect(await forgetUnusedValues.run(database)).toBe(1_200);
    expect(await count("trait_type")).toBe(1_800);
    await passDays(6.9);
    expect(await forgetUnusedValues.run(database)).toBe(0);

    await passDays(0.2);

    expect(await forgetUnusedValues.run(database)).toBe(1_200);
    expect(Object.keys(await types()).every((name) => name.startsWith("3 "))).toBe(true);
    expect(await count("trait_type")).toBe(600);
    expect(await count("trait_value")).toBe(600);
  });

  it("keeps its display type while a token has it, be it shown or hidden", async () => {
    await record("1", [text("Level", "five"), text("Class", "Mage")]);
    await record("2", [number("Level", 5)]);
    await record("1", [text("Class", "Mage")]);

    await forgetAWeekLater();

    expect(await types()).toEqual({ Class: "string", Level: "string" });
    expect(await pending()).toEqual({ "Level: string -> number": 1 });
  });

  it("is kept for a week from the last deletion of its values, not from its first", async () => {
    await record("1", [text("Class", "Mage")]);
    await record("1", [text("Class", "Knight")]);
    await forgetUnusedValues.run(database);
    await passDays(8);
    await record("1", []);

    expect(await forgetUnusedValues.run(database)).toBe(1);

    expect(await types()).toEqual({ Class: "string" });
  });

  it("goes with its conflicting types, which no token has either, and learns anew when it comes back", async () => {
    await record("1", [number("Level", 9)]);
    await record("2", [text("Level", "nine")]);
    for (const tokenId of ["1", "2"]) await record(tokenId, []);

    await forgetAWeekLater();

    expect(await types()).toEqual({});
    expect(await count("held_type")).toBe(0);
    await record("1", [text("Level", "four")]);
    await record("2", [number("Level", 4)]);
    expect(await shown("1")).toEqual([["Level", "four"]]);
    expect(await pending()).toEqual({ "Level: string -> number": 1 });
    await approve("Level", "number");
    expect(await highest("Level")).toBe(4);
  });

  it("whose display type the operator approved is kept, with what it conflicts with", async () => {
    await record("1", [text("Level", "five")]);
    await record("2", [number("Level", 5)]);
    await approve("Level", "number");
    for (const tokenId of ["1", "2"]) await record(tokenId, []);

    await forgetAWeekLater();

    expect(await count("trait_value")).toBe(0);
    expect(await types()).toEqual({ Level: "number" });
    await record("1", [text("Level", "six")]);
    expect(await shown("1")).toEqual([]);
    expect(await pending()).toEqual({ "Level: number -> string": 1 });
  });

  it("of a token that a reorg hid is deleted as well, and comes back with the token", async () => {
    await record("1", [text("Class", "Mage")]);
    await forget("1");

    await forgetAWeekLater();

    expect(await types()).toEqual({});
    await record("1", [text("Class", "Mage")]);
    expect(await shown("1")).toEqual([["Class", "Mage"]]);
  });

  it("that can't be approved any more is answered like one that the collection never had", async () => {
    await record("1", [text("Level", "five"), number("Level", 5)]);
    await record("1", []);

    await forgetAWeekLater();

    expect(await approve("Level", "number")).toEqual({ kind: "unknown_trait_type" });
  });

  it("that a version found while it is being recorded is kept", async () => {
    await record("1", [text("Class", "Mage")]);
    await record("1", []);
    await forgetUnusedValues.run(database);
    await passDays(7);

    await recordDuring("2", [text("Class", "Mage")], () => forgetUnusedValues.run(database));

    expect(await types()).toEqual({ Class: "string" });
    expect(await shown("2")).toEqual([["Class", "Mage"]]);
  });

  it("that is deleted while a version waits to be recorded gets a new row", async () => {
    await record("1", [text("Class", "Mage")]);
    await record("1", []);
    await forgetUnusedValues.run(database);
    await passDays(7);
    const deleted = createBarrier();
    const commit = createBarrier();
    const holding: typeof database = {
      ...database,
      transaction: (work, kind) =>
        database.transaction(async (tx) => {
          const result = await work(tx);
          deleted.open();
          await commit.opened;
          return result;
        }, kind),
    };
    const forgetting = forgetUnusedValues.run(holding);
    await deleted.opened;

    const recording = record("2", [number("Class", 5)]);
    await eventually(
      () => countWaiting(database),
      (waiting) => waiting > 0,
    );
    commit.open();
    await Promise.all([recording, forgetting]);

    expect(await types()).toEqual({ Class: "number" });
    expect(await shown("2")).toEqual([["Class", 5]]);
    const orphans = await database.query(
      `select from vitrine.trait_value v
        where not exists (select from vitrine.trait_type k where k.id = v.trait_type_id)`,
    );
    expect(orphans).toEqual([]);
  });
});

describe("searches after a trait type was deleted", () => {
  const ALL = { criteria: [], ranges: [] };
  const inMemory = createCollectionSearch({
    database,
    tables,
    collection: collectionRef,
    logger: silentLogger,
  });
  const inDatabase = createDatabaseSearch({ database, tables }, collectionRef);

  /** What the search index answers, which has to be what PostgreSQL answers. */
  async function ask() {
    const [fromMemory, fromDatabase] = await Promise.all(
      [inMemory, inDatabase].map(async (search) => ({
        facets: (await search.facets(ALL)).traits.map(({ trait_type, display_type, values }) => [
          trait_type,
          display_type,
          [...values].length,
        ]),
        completed: await search.completeValues({ name: "Level", prefix: "", limit: 10 }),
        levels: (await search.page({ filter: levels, sort: byLevel, limit: 10 })).tokenIds,
        all: (await search.page({ filter: ALL, sort: byLevel, limit: 10 })).tokenIds,
        shown: await search.shownTypes(["Level", "Class"]),
      })),
    );
    expect(fromMemory).toEqual(fromDatabase);
    return fromMemory;
  }
  const levels = { criteria: [], ranges: [{ name: "Level", from: 1, to: 9 }] };
  const byLevel = { by: "trait", name: "Level", descending: true } as const;

  it("it is unknown, and a type that comes back is another one", async () => {
    await test.setHead({ chainId: CHAIN_ID, block: 100 });
    await record("1", [text("Level", "five"), text("Class", "Mage")]);
    await record("2", [text("Level", "six"), text("Class", "Mage")]);
    expect(await ask()).toMatchObject({
      facets: [
        ["Class", "string", 1],
        ["Level", "string", 2],
      ],
      completed: { display_type: "string", total: 2 },
    });
    for (const tokenId of ["1", "2"]) await record(tokenId, [text("Class", "Mage")]);
    await forgetUnusedValues.run(database);
    expect(await ask()).toMatchObject({
      facets: [["Class", "string", 1]],
      completed: { display_type: "string", total: 0 },
    });

    await passDays(7);
    expect(await forgetUnusedValues.run(database)).toBe(1);

    expect(await ask()).toMatchObject({
      facets: [["Class", "string", 1]],
      completed: { display_type: null, total: 0 },
      levels: [],
      all: ["1", "2"],
      shown: new Set(["Class"]),
    });

    await record("1", [number("Level", 5), text("Class", "Mage")]);
    await record("2", [number("Level", 6), text("Class", "Mage")]);

    expect(await ask()).toMatchObject({
      facets: [
        ["Class", "string", 1],
        ["Level", "number", 2],
      ],
      completed: { display_type: "number", total: 2 },
      levels: ["2", "1"],
      all: ["2", "1"],
      shown: new Set(["Level", "Class"]),
    });
  });
});
