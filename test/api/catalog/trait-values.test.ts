/** Completing the values of a trait, over REST, GraphQL and the client. */

import { beforeAll, describe, expect, it } from "vitest";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { COLLECTION, emptyTables, found, recordOne, ref } from "../../support/refresh/refresh.ts";
import { createOwnEndpoint } from "../graphql/own-endpoint.ts";

const test = await createTestDatabase();
const api = createTestApp(test);
const key = await api.createKey();
const endpoint = await createOwnEndpoint(api);
const at = (trait: string, query = "") =>
  api.call(`/market/collections/${COLLECTION}/traits/${encodeURIComponent(trait)}/values${query}`, { key });

const SERIALS = 1_200;
const STRANGE = "a/b?c#d %2F";

beforeAll(async () => {
  await emptyTables(test.database);
  await test.database.transaction(async (tx) => {
    for (let nth = 0; nth < SERIALS; nth++) {
      const attributes = [
        { trait_type: "Serial", value: `S-${nth}` },
        { trait_type: "Class", value: nth % 3 === 0 ? "Mage" : nth % 3 === 1 ? "magician" : "Rogue" },
        { trait_type: "Level", display_type: "number", value: nth % 120 },
        ...(nth === 0 ? [{ trait_type: STRANGE, value: "Here" }] : []),
      ];
      await recordOne(
        api.metadata,
        tx,
        ref(String(nth)),
        "rest",
        found({ name: String(nth), image: "https://img.example/1.png", attributes }),
      );
    }
  });
});

describe("the values of a trait that begin with a text", () => {
  it("are found beyond those that the distribution lists", async () => {
    const { status, body } = await at("Serial", "?prefix=s-119&limit=3");

    expect(status).toBe(200);
    const percentage = expect.closeTo(100 / SERIALS, 9);
    expect(body).toEqual({
      trait_type: "Serial",
      display_type: "string",
      total: 11,
      listed: SERIALS,
      values: ["S-119", "S-1190", "S-1191"].map((value) => ({ value, count: 1, percentage })),
    });
  });

  it("come with the most frequent first, ignoring case; numbers by their text", async () => {
    expect((await at("Class", "?prefix=MAG")).body.values).toMatchObject([
      { value: "Mage", count: 400 },
      { value: "magician", count: 400 },
    ]);
    expect((await at("Class")).body).toMatchObject({ total: 3, values: [{}, {}, { value: "Rogue" }] });
    const levels = (await at("Level", "?prefix=11&limit=100")).body;
    expect(levels.values.map(({ value }: { value: number }) => value)).toEqual([
      11, 110, 111, 112, 113, 114, 115, 116, 117, 118, 119,
    ]);
  });

  it("are of any trait, whatever its name, and none of an unknown one", async () => {
    expect((await at(STRANGE)).body).toMatchObject({ trait_type: STRANGE, values: [{ value: "Here" }] });
    expect((await at("Nothing")).body).toEqual({
      ...{ trait_type: "Nothing", display_type: null, total: 0, listed: SERIALS, values: [] },
    });
  });

  it("are the same over GraphQL", async () => {
    const { data } = await endpoint.ask(
      `{ traitValues(tokenAddress: "${COLLECTION}", name: "Serial", prefix: "S-119", limit: 3) {
           traitType displayType total listed values { value count percentage } } }`,
    );
    const { body } = await at("Serial", "?prefix=S-119&limit=3");
    const { trait_type: traitType, display_type: displayType, ...rest } = body;
    expect(data.traitValues).toEqual({ traitType, displayType, ...rest });
  });

  it.each([
    ["?limit=101", "limit"],
    ["?limit=0", "limit"],
    [`?prefix=${"x".repeat(201)}`, "prefix"],
    ["?q=x", "q"],
    ["?chain_id=5", "chain_id"],
  ])("are refused by name: %s", async (query, path) => {
    const { status, body } = await at("Serial", query);
    expect([status, body.details[0].path]).toEqual([400, path]);
  });
});
