import fc from "fast-check";
import { beforeEach, describe, expect, it } from "vitest";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { type Trait, valueText } from "../../../src/api/metadata/traits.ts";
import { createTestDatabase } from "../../support/database.ts";
import {
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  emptyTables,
  failed,
  found,
  ref,
} from "../../support/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const metadata = createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables });

const record = (tokenId: string, attributes: readonly object[]) =>
  database.transaction((tx) =>
    metadata.record(
      tx,
      ref(tokenId),
      "rest",
      found({ name: "Hero", image: "https://img.example/1.png", attributes }),
    ),
  );
const served = async (tokenId: string) =>
  (await metadata.readServed(database, CHAIN_ID, COLLECTION, [tokenId])).get(tokenId);
const number = (trait_type: string, value: number, more: object = {}) => ({
  trait_type,
  display_type: "number",
  value,
  ...more,
});
const count = (traits: readonly Trait[]) => metadata.countTraits(database, CHAIN_ID, COLLECTION, traits);
const level = (value: number): Trait => ({ trait_type: "Level", display_type: "number", value });

beforeEach(() => emptyTables(database));

describe("the display type of a trait type", () => {
  it("stays what it was first: entries of another type are held back, and an issue says so", async () => {
    await record("1", [number("Level", 5)]);

    const end = await record("2", [
      { trait_type: "Level", value: "five" },
      { trait_type: "Class", value: "Mage" },
    ]);

    expect(end.status).toBe("updated");
    const token = await served("2");
    expect(token?.metadata?.traits.map(({ trait_type }) => trait_type)).toEqual(["Class"]);
    expect(token?.issues).toEqual([
      {
        code: "display_type_conflict",
        level: "warning",
        path: expect.stringContaining("attributes"),
        message: expect.stringContaining('"Level"'),
      },
    ]);
    expect(await served("1")).toMatchObject({ metadata: { traits: [{ value: 5 }] }, issues: [] });
  });

  it("is decided once for a conflict within one document", async () => {
    await record("1", [number("Level", 5), { trait_type: "Level", value: "five" }]);

    expect(await served("1")).toMatchObject({
      metadata: { traits: [{ display_type: "number", value: 5 }] },
      issues: [{ code: "display_type_conflict" }],
    });
  });

  it("is decided once though many tokens bring it at the same time", async () => {
    await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        record(String(index), [
          index % 2 ? number("Level", index) : { trait_type: "Level", value: `${index}` },
        ]),
      ),
    );

    const rows = await database.query("select display_type from vitrine.trait_type");
    const kept = await database.query(
      "select distinct value_number is null as text from vitrine.token_trait",
    );
    expect(rows).toHaveLength(1);
    expect(kept).toHaveLength(1);
  });

  it("is one collection's own", async () => {
    await record("1", [number("Level", 5)]);
    const other = {
      chainId: CHAIN_ID,
      collection: "0x00000000000000000000000000000000000000ff",
      tokenId: "1",
    };
    const document = found({
      name: "Other",
      image: "ipfs://x",
      attributes: [{ trait_type: "Level", value: "five" }],
    });

    await database.transaction((tx) => metadata.record(tx, other, "rest", document));

    const kept = await metadata.readServed(database, CHAIN_ID, other.collection, ["1"]);
    expect(kept.get("1")?.issues).toEqual([]);
  });
});

describe("the highest value of a number trait", () => {
  it("never falls, even when the token that had it loses it", async () => {
    await record("1", [number("Level", 90)]);
    await record("2", [number("Level", 5)]);
    await record("1", [number("Level", 3)]);

    expect((await count([level(3)])).highest.get("Level")).toBe(90);
  });

  it("is no lower than any value that is served", async () => {
    await record("1", [number("Level", 5)]);
    await record("2", [{ trait_type: "Level", value: "held back" }, number("Level", 99)]);

    expect((await served("2"))?.metadata?.traits).toEqual([level(99)]);
    expect((await count([level(99)])).highest.get("Level")).toBe(99);
  });

  it("may be negative, and is none for other types", async () => {
    await record("1", [number("Debt", -7.5), { trait_type: "Class", value: "Mage" }]);

    const { highest } = await count([
      { trait_type: "Debt", display_type: "number", value: -7.5 },
      { trait_type: "Class", display_type: "string", value: "Mage" },
    ]);
    expect([...highest]).toEqual([["Debt", -7.5]]);
  });
});

describe("the distribution", () => {
  it("equals a count by hand over any tokens", async () => {
    const trait = fc.record({
      trait_type: fc.constantFrom("Class", "class", "Class ", "Élan", "💎"),
      value: fc.constantFrom("Mage", "mage", "", "0", "x".repeat(5_000), "%", "\\"),
    });
    const tokens = fc.array(fc.array(trait, { maxLength: 4 }), { minLength: 1, maxLength: 12 });

    await fc.assert(
      fc.asyncProperty(tokens, async (collection) => {
        await emptyTables(database);
        for (const [index, attributes] of collection.entries()) await record(String(index), attributes);

        const all = collection.flat().map((each): Trait => ({ ...each, display_type: "string" }));
        const { counts, total } = await count(all);

        expect(total).toBe(collection.length);
        for (const { trait_type, value } of all) {
          const expected = collection.filter((attributes) =>
            attributes.some((each) => each.trait_type === trait_type && each.value === value),
          ).length;
          const row = counts.find((each) => each.traitType === trait_type && each.value === valueText(value));
          expect(row?.count).toBe(expected);
        }
      }),
      { numRuns: 25 },
    );
  });

  it("follows the served version: replaced traits no longer count", async () => {
    await record("1", [{ trait_type: "Class", value: "Mage" }]);
    await record("1", [{ trait_type: "Class", value: "Rogue" }]);

    const { counts } = await count([
      { trait_type: "Class", display_type: "string", value: "Mage" },
      { trait_type: "Class", display_type: "string", value: "Rogue" },
    ]);

    expect(counts).toEqual([{ traitType: "Class", value: "Rogue", count: 1 }]);
  });
});
