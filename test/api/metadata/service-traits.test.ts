import { beforeEach, describe, expect, it } from "vitest";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import type { Trait } from "../../../src/api/metadata/document/traits.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import { createSearch } from "../../../src/api/search/service.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import {
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  emptyTables,
  failed,
  found,
  recordOne,
  ref,
} from "../../support/refresh/refresh.ts";

const test = await createTestDatabase();
const { database, tables } = test;
const metadata = createMetadata({ resolve: createFakeResolve(() => failed("timeout")).resolve, tables });

const record = (tokenId: string, attributes: readonly object[]) =>
  database.transaction((tx) =>
    recordOne(
      metadata,
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
const search = createSearch({ database, tables, logger: silentLogger });
const count = (traits: readonly Trait[]) =>
  search.countTraits({ chainId: CHAIN_ID, address: COLLECTION, startBlock: 0 }, traits);
const level = (value: number): Trait => ({ trait_type: "Level", display_type: "number", value });

beforeEach(() => emptyTables(database));

describe("the display type of a trait type", () => {
  it("stays what it was first: entries of another type are hidden, and an issue says so", async () => {
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

    const shown = await Promise.all(Array.from({ length: 20 }, (_, index) => served(`${index}`)));
    const types = shown.flatMap((token) => token?.metadata?.traits.map((trait) => trait.display_type));
    expect(types).toHaveLength(10);
    expect(new Set(types).size).toBe(1);
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
      image: "https://i.example",
      attributes: [{ trait_type: "Level", value: "five" }],
    });

    await database.transaction((tx) => recordOne(metadata, tx, other, "rest", document));

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
    await record("2", [{ trait_type: "Level", value: "hidden" }, number("Level", 99)]);

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
