/** Long texts, many values, and invalid cursors. */

import { deflateRawSync } from "node:zlib";
import { beforeEach, describe, expect, it } from "vitest";
import { CURSOR_LENGTH_MAX } from "../../../src/api/search/cursor.ts";
import type { TokenQuery } from "../../../src/api/search/query.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { emptyTables } from "../../support/refresh/refresh.ts";
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

  it.each([
    ["three times as many bytes once it is normalised", "\u{1D160}\u{1D164}\u{1D1C0}"],
    ["six times as many bytes in JSON", "\u0001\u0002\u0003"],
  ])("is short enough to be sent whatever the name is: one of %s", async (_what, characters) => {
    const name = [...characters.repeat(400)].slice(0, 1_000).join("");
    const last = (2n ** 256n - 1n).toString();
    await harness.record(new Map([last, "1"].map((tokenId) => [tokenId, { name }])));
    const query = { ...byId, sort: { by: "name" as const, descending: true }, limit: 1 };

    const { tokenIds, nextCursor } = await harness.page(query);
    expect(tokenIds).toEqual(["1"]);
    expect(nextCursor?.length).toBeLessThanOrEqual(CURSOR_LENGTH_MAX);
    expect(nextCursor).toMatch(/^[\w~-]+$/);
    expect(await idsOf({ ...query, cursor: nextCursor ?? "" })).toEqual([last]);
  });

  it("that would be too long once it is unpacked is refused", async () => {
    const cursor = `~${deflateRawSync(Buffer.alloc(1_000_000, "[")).toString("base64url")}`;

    await expect(harness.page({ ...byId, cursor })).rejects.toMatchObject(refused("cursor"));
    await expect(harness.page({ ...byId, cursor: "~x" })).rejects.toMatchObject(refused("cursor"));
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
