/** Long texts, many values, and invalid cursors. */

import { beforeEach, describe, expect, it } from "vitest";
import type { TokenQuery } from "../../../src/api/search/query.ts";
import { createTestDatabase } from "../../support/database.ts";
import { emptyTables } from "../../support/refresh.ts";
import { createTraitsHarness, number, text } from "../metadata/traits-harness.ts";
import { facets } from "./model.ts";
import { ALL, createSearchHarness } from "./search-harness.ts";

const test = await createTestDatabase();
const { database } = test;
const harness = createSearchHarness(test);
const traits = createTraitsHarness(test);

const byId: TokenQuery = { filter: ALL, sort: { by: "id", descending: false }, limit: 100 };
const idsOf = async (query: Partial<TokenQuery> = {}) => (await harness.page({ ...byId, ...query })).tokenIds;
const withClass = (...values: string[]) => ({ ...ALL, criteria: [{ name: "Class", values }] });

beforeEach(() => emptyTables(database));

describe("texts of any length", () => {
  it("are found whole; one of more than 1,000 characters is counted and not listed", async () => {
    const long = "💎".repeat(1_001);
    await traits.record("1", [text("Class", long)]);
    await traits.record("2", [text("Class", "💎".repeat(1_000))]);
    await traits.record("3", [text("Class", `${long}!`), text(long, "of a long name")]);

    expect(await idsOf({ filter: withClass(long) })).toEqual(["1"]);
    expect(
      await idsOf({ filter: { ...ALL, criteria: [{ name: long, values: ["of a long name"] }] } }),
    ).toEqual(["3"]);
    const { traits: listed } = await harness.facets();
    expect(listed).toMatchObject([{ count: 3, values_total: 3, values: [{ value: "💎".repeat(1_000) }] }]);
  });

  it("lists the most frequent 1,000 values of a trait and says how many there are", async () => {
    const documents = Array.from({ length: 1_100 }, (_, at) => [
      String(at),
      { name: "Hero", attributes: [text("Serial", `#${at % 1_050}`)] },
    ]);
    await harness.record(new Map(documents as [string, object][]));

    const [serial] = (await harness.facets()).traits;

    expect(serial).toMatchObject({ count: 1_100, values_total: 1_050 });
    expect(serial?.values).toHaveLength(1_000);
    expect(serial?.values).toEqual(facets(await harness.readModel(), ALL).traits[0]?.values.slice(0, 1_000));
  });
});

describe("a cursor", () => {
  const refused = (message: string) => ({
    code: "INVALID_REQUEST",
    details: [{ path: "cursor", message: expect.stringContaining(message) }],
  });

  it.each(["", "x", "W10", "bnVsbA", Buffer.from('["a","1","b"]').toString("base64url")])(
    "that no answer gave is refused: %j",
    async (cursor) => {
      await expect(harness.page({ ...byId, cursor })).rejects.toMatchObject(refused("cursor"));
    },
  );

  it("of another order is refused", async () => {
    for (const tokenId of ["1", "2"]) await traits.record(tokenId, []);
    const { nextCursor } = await harness.page({ ...byId, limit: 1 });

    const other = { ...byId, sort: { by: "id" as const, descending: true }, cursor: nextCursor ?? "" };

    await expect(harness.page(other)).rejects.toMatchObject(refused("another order"));
  });

  it("of a trait that has changed its display type is refused", async () => {
    for (const tokenId of ["1", "2"]) await traits.record(tokenId, [number("Level", 5)]);
    await traits.record("3", [text("Level", "five")]);
    const query = { ...byId, sort: { by: "trait" as const, name: "Level", descending: false }, limit: 1 };
    const { nextCursor } = await harness.page(query);
    await traits.approve("Level", "string");

    await expect(harness.page({ ...query, cursor: nextCursor ?? "" })).rejects.toMatchObject(
      refused("changed"),
    );
  });
});
