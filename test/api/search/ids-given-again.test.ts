/** Ids of trait values and types that were another's before, in processes that remember it. */

import { afterAll, beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { forgetUnusedValues } from "../../../src/api/metadata/traits/value-retention.ts";
import { givenAgain } from "../../../src/api/search/columns/given-ids.ts";
import { createSearch } from "../../../src/api/search/service.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { CHAIN_ID, emptyTables } from "../../support/refresh/refresh.ts";
import { collection, createSearchHarness } from "./search-harness.ts";

const ROUND = 2_147_483_647;

const test = await createTestDatabase();
const { database, tables } = test;
const harness = createSearchHarness(test);
/** Remembers nothing: PostgreSQL answers. */
const byDatabase = createSearch({ database, tables, logger: silentLogger, memoryMax: 0 });
afterAll(() => byDatabase.close());

type Traits = Readonly<Record<string, string>>;
const record = (tokens: Readonly<Record<string, Traits>>) =>
  harness.record(
    new Map(
      Object.entries(tokens).map(([id, traits]) => [
        id,
        {
          name: id,
          attributes: Object.entries(traits).map(([trait_type, value]) => ({ trait_type, value })),
        },
      ]),
    ),
  );
const setGiven = (of: "type" | "value", count: number) =>
  database.query(`select setval('vitrine.trait_${of}_ids', $1)`, [count]);
const idsOf = async (of: "type" | "value") => {
  const text = of === "type" ? "trait_type" : "value_text";
  const rows = await database.query<{ id: number; text: string }>(
    `select id, ${text} as text from vitrine.trait_${of}`,
  );
  return Object.fromEntries(rows.map((row) => [row.text, row.id]));
};

/** The counts of each trait's values, and the tokens with each: the same from memory and from PostgreSQL. */
async function searched() {
  const [inMemory, inDatabase] = await Promise.all(
    [harness.search, byDatabase].map((search) => search.facets(collection, { criteria: [], ranges: [] })),
  );
  expect(inMemory?.traits).toEqual(inDatabase?.traits);
  const found: Record<string, Record<string, readonly string[]>> = {};
  for (const { trait_type, values } of inMemory?.traits ?? []) {
    const byValue: Record<string, readonly string[]> = {};
    for (const { value, count } of values) {
      const criteria = [{ name: trait_type, values: [String(value)] }];
      const query = {
        filter: { criteria, ranges: [] },
        sort: { by: "id", descending: false },
        limit: 10,
      } as const;
      const { tokenIds } = await harness.search.page(collection, query);
      expect(tokenIds).toHaveLength(count);
      byValue[String(value)] = tokenIds;
    }
    found[trait_type] = byValue;
  }
  return found;
}

beforeEach(async () => {
  await emptyTables(database);
  await setGiven("type", ROUND + 100);
  await setGiven("value", ROUND + 100);
  await test.setHead({ chainId: CHAIN_ID, block: 100 });
});

describe("once the last id of trait values was given", () => {
  it("new values have those that no value has, and are themselves to every process that remembers others", async () => {
    await record({ 1: { Class: "Mage" }, 2: { Class: "Mage" }, 3: { Class: "Knight" } });
    expect(await searched()).toEqual({ Class: { Mage: ["1", "2"], Knight: ["3"] } });
    await record({ 1: { Class: "Bard" }, 2: { Class: "Bard" } });
    expect(await searched()).toEqual({ Class: { Bard: ["1", "2"], Knight: ["3"] } });
    const before = await idsOf("value");
    expect(await forgetUnusedValues.run(database)).toBe(1);

    await setGiven("value", 2 * ROUND + Number(before.Mage) - 3);
    await record({
      4: { Class: "Thief" },
      5: { Class: "Monk" },
      6: { Class: "Druid" },
      7: { Class: "Cook" },
    });

    expect(await searched()).toEqual({
      Class: { Bard: ["1", "2"], Knight: ["3"], Thief: ["4"], Monk: ["5"], Druid: ["6"], Cook: ["7"] },
    });
    const { Mage: freed, ...kept } = before;
    const now = await idsOf("value");
    expect(now).toMatchObject(kept);
    expect(Object.values(now)).toContain(freed);

    await record({ 3: { Class: "Mage" }, 4: { Class: "Bard" } });
    expect(await searched()).toEqual({
      Class: { Bard: ["1", "2", "4"], Mage: ["3"], Monk: ["5"], Druid: ["6"], Cook: ["7"] },
    });
  });

  it("the first is the lowest that is free", async () => {
    await setGiven("value", 2);
    await record({ 1: { Class: "Mage" } });
    await setGiven("value", ROUND - 1);

    await record({ 2: { Class: "Knight" } });
    await record({ 3: { Class: "Bard" } });
    await record({ 4: { Class: "Thief" } });
    await record({ 5: { Class: "Monk" } });

    expect(await idsOf("value")).toEqual({ Mage: 3, Knight: ROUND, Bard: 1, Thief: 2, Monk: 4 });
    expect(Object.keys((await searched()).Class ?? {}).sort()).toEqual([
      "Bard",
      "Knight",
      "Mage",
      "Monk",
      "Thief",
    ]);
  });

  it("thousands that have a value are passed over", async () => {
    const USED = 2_500;
    await database.query(
      `insert into vitrine.trait_value (id, trait_type_id, display_type, key, value_text)
       select id, 0, 'string', id::text, id::text from generate_series(1, $1::int) id where id <> 1200`,
      [USED],
    );
    await setGiven("value", ROUND);

    await record({ 1: { Class: "Mage" } });
    await record({ 2: { Class: "Knight" } });

    expect(await idsOf("value")).toMatchObject({ Mage: 1_200, Knight: USED + 1 });
  });

  it("a value of another trait type is not the one that had its id", async () => {
    await record({ 1: { Class: "Mage", Mood: "Glad" } });
    expect(await searched()).toEqual({ Class: { Mage: ["1"] }, Mood: { Glad: ["1"] } });
    await record({ 1: { Mood: "Glad" } });
    const { Mage: freed } = await idsOf("value");
    expect(await forgetUnusedValues.run(database)).toBe(1);

    await setGiven("value", 2 * ROUND + Number(freed) - 1);
    await record({ 2: { Mood: "Mage" } });

    expect((await idsOf("value")).Mage).toBe(freed);
    expect(await searched()).toEqual({ Mood: { Glad: ["1"], Mage: ["2"] } });
  });
});

it("a trait type with an id that was another's is itself, with values of its own", async () => {
  await record({ 1: { Status: "Hidden" }, 2: { Class: "Mage" } });
  // Of a value that another transaction has added, the id is remembered.
  await record({ 5: { Status: "Hidden" } });
  expect(await searched()).toEqual({ Status: { Hidden: ["1", "5"] }, Class: { Mage: ["2"] } });
  await record({ 1: { Class: "Mage" }, 5: { Class: "Mage" } });
  const { Status: type } = await idsOf("type");
  const { Hidden: value } = await idsOf("value");
  await forgetUnusedValues.run(database);
  await database.query("update vitrine.trait_type set values_deleted_at = now() - interval '8 days'");
  expect(await forgetUnusedValues.run(database)).toBe(1);

  await setGiven("type", 2 * ROUND + Number(type) - 1);
  await setGiven("value", 2 * ROUND + Number(value) - 1);
  await record({ 1: { Mood: "Glad" }, 3: { Mood: "Hidden" }, 4: { Class: "Hidden" } });

  expect((await idsOf("type")).Mood).toBe(type);
  expect(await searched()).toEqual({
    Class: { Mage: ["2", "5"], Hidden: ["4"] },
    Mood: { Glad: ["1"], Hidden: ["3"] },
  });
});

describe("of the known ids, those that may have been given again", () => {
  const known = (...ids: number[]) => new Map(ids.map((id) => [id, undefined]));

  it.each([
    ["none in the first round", known(1, 5, ROUND), 4, ROUND, []],
    ["those since the round ended", known(1, 5, ROUND), ROUND - 1, ROUND + 4, [1, ROUND]],
    ["no others in a later round", known(1, 5, ROUND), ROUND + 1, ROUND + 4, []],
    ["those between the counts", known(1, 5, 9, ROUND), 2 * ROUND + 4, 2 * ROUND + 6, [5]],
    ["those around the end of a round", known(1, 5, 9, ROUND), 2 * ROUND - 1, 2 * ROUND + 1, [ROUND, 1]],
    ["all after a whole round", known(1, 5, ROUND), ROUND + 1, 2 * ROUND + 1, [1, 5, ROUND]],
    ["all after several", known(1, 5, ROUND), 7, 9 * ROUND, [1, 5, ROUND]],
    ["none if none was given", known(1, 5, ROUND), 2 * ROUND, 2 * ROUND, []],
  ])("are %s", (_name, ids, before, now, again) => {
    expect(givenAgain(ids, before, now)).toEqual(again);
  });
});
