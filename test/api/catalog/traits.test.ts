import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { CHAIN_ID, COLLECTION, emptyTables, found, recordOne, ref } from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database } = test;
const api = createTestApp(test);
const collection = { chainId: CHAIN_ID, address: COLLECTION, startBlock: 0 };

beforeEach(() => emptyTables(database));

type Attribute = { trait_type: string; display_type?: string; value: unknown; max_value?: number };

const record = (tokenId: string, attributes: readonly Attribute[]) =>
  database.transaction((tx) =>
    recordOne(
      api.metadata,
      tx,
      ref(tokenId),
      "rest",
      found({ name: tokenId, image: "https://img.example/1.png", attributes }),
    ),
  );
const traitsOf = async (tokenId: string) => (await api.catalog.findToken(collection, tokenId))?.traits ?? [];
const level = (value: number, max_value?: number): Attribute => ({
  trait_type: "Level",
  display_type: "number",
  value,
  ...(max_value !== undefined && { max_value }),
});

describe("counts and percentages", () => {
  it("equal a count by hand over any tokens", async () => {
    const attribute = fc.oneof(
      fc.record({ trait_type: fc.constantFrom("Class", "Aura"), value: fc.constantFrom("Mage", "0", "") }),
      fc.record({
        trait_type: fc.constant("Level"),
        display_type: fc.constant("number"),
        value: fc.constantFrom(0, -1, 1e21, 0.1),
      }),
      fc.record({ trait_type: fc.constant("Shiny"), display_type: fc.constant("bool"), value: fc.boolean() }),
    );
    const tokens = fc.array(fc.array(attribute, { maxLength: 4 }), { minLength: 1, maxLength: 8 });

    await fc.assert(
      fc.asyncProperty(tokens, async (documents) => {
        await emptyTables(database);
        for (const [index, attributes] of documents.entries()) await record(String(index), attributes);

        for (const [index, attributes] of documents.entries()) {
          const traits = await traitsOf(String(index));
          expect(traits.map(({ trait_type, value }) => [trait_type, value])).toEqual(
            attributes.map(({ trait_type, value }) => [trait_type, value]),
          );
          for (const { trait_type, value, count, percentage } of traits) {
            const expected = documents.filter((document) =>
              document.some((each) => each.trait_type === trait_type && each.value === value),
            ).length;
            expect(count).toBe(expected);
            expect(percentage).toBeCloseTo((expected / documents.length) * 100, 9);
          }
        }
      }),
      { numRuns: 20 },
    );
  });

  it("are of all listed tokens, those without metadata too", async () => {
    await record("1", [{ trait_type: "Class", value: "Mage" }]);
    await database.query("insert into vitrine.token (chain_id, collection, token_id) values ($1, $2, 2)", [
      CHAIN_ID,
      COLLECTION,
    ]);

    expect(await traitsOf("1")).toMatchObject([{ count: 1, percentage: 50 }]);
  });
});

describe("max_value", () => {
  it("is the document's, or else the highest value ever seen in the collection", async () => {
    await record("1", [level(10, 50)]);
    await record("2", [level(30)]);
    await record("2", [level(7)]);

    expect(await traitsOf("1")).toMatchObject([{ value: 10, max_value: 50 }]);
    expect(await traitsOf("2")).toMatchObject([{ value: 7, max_value: 30 }]);
  });

  it("is never below the value, and none for other types", async () => {
    await record("1", [level(10, 5), { trait_type: "Class", value: "Mage" }]);
    await record("2", [{ trait_type: "Level", value: "hidden" }, level(99)]);

    expect(await traitsOf("1")).toMatchObject([{ max_value: 99 }, { trait_type: "Class", max_value: null }]);
    expect(await traitsOf("2")).toMatchObject([{ value: 99, max_value: 99 }]);
  });
});

it("groups the traits of the page by rule 4", async () => {
  await record("1", [
    level(1),
    { trait_type: "b", value: "x" },
    { trait_type: "A", display_type: "bool", value: false },
  ]);

  expect((await api.catalog.findToken(collection, "1"))?.property_groups).toEqual([
    { category: "Traits", traits: ["A", "b"] },
    { category: "Others", traits: ["Level"] },
  ]);
});
