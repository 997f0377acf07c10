/** The traits of whole collections, recorded as by a worker, searched, and scanned by brute force. */

import fc from "fast-check";
import { beforeAll, describe, expect, it } from "vitest";
import type { TokenFilter } from "../../../src/api/search/query.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { emptyTables } from "../../support/refresh/refresh.ts";
import { documents, readFixture, readJson } from "../metadata/fixtures.ts";
import { sort } from "./arbitraries.ts";
import { walkPages } from "./index-harness.ts";
import { facets, type Model, panel, sorted } from "./model.ts";
import { ALL, createSearchHarness } from "./search-harness.ts";

const test = await createTestDatabase();
const harness = createSearchHarness(test);

const traitsOf = (file: string) => readJson(`datasets/${file}`) as Record<string, Record<string, string>>;
const withProperties = (file: string) =>
  new Map(
    Object.entries(traitsOf(file)).map(([tokenId, properties]) => [
      tokenId,
      { name: properties.name ?? `#${tokenId}`, description: "One of many", properties },
    ]),
  );
/** Every list of parts is a trait; tokens have all combinations in turn. */
const withParts = () => {
  const lists = readJson("datasets/noun-parts.json") as string[][];
  return new Map(
    Array.from({ length: 400 }, (_, tokenId) => [
      String(tokenId),
      {
        name: `Noun ${tokenId}`,
        attributes: lists.map((list, part) => ({
          trait_type: `Part ${part}`,
          value: list[tokenId % list.length],
        })),
      },
    ]),
  );
};
/** Documents of public collections, if they are readable. */
const fromDocuments = () =>
  new Map(
    documents.flatMap(({ file, expect: expected }, at) =>
      "failure" in expected
        ? []
        : [[String(at), JSON.parse(readFixture(`documents/${file}`).toString()) as object]],
    ),
  );

describe.each([
  ["forgotten-warriors.json", () => withProperties("forgotten-warriors.json")],
  ["forgotten-souls.json", () => withProperties("forgotten-souls.json")],
  ["noun-parts.json", withParts],
  ["documents", fromDocuments],
])("%s", (_, read) => {
  let model: Model;
  let filter: fc.Arbitrary<TokenFilter>;

  beforeAll(async () => {
    await emptyTables(test.database);
    const tokens = read();
    await harness.record(tokens);
    model = await harness.readModel();
    expect(model.tokens).toHaveLength(tokens.size);
    const traits = model.tokens.flatMap((token) => token.traits);
    const criterion = fc
      .constantFrom(...traits)
      .map(({ trait_type, value }) => ({ name: trait_type, values: [String(value)] }));
    const words = model.tokens.flatMap(({ name }) => name?.split(" ") ?? []);
    filter = fc.record(
      {
        criteria: fc.array(criterion, { maxLength: 2 }),
        ranges: fc.constant([]),
        text: fc.constantFrom(...words),
      },
      { requiredKeys: ["criteria", "ranges"] },
    );
  });

  it("has the distribution that a count by hand finds", async () => {
    expect(await harness.facets()).toEqual(facets(model, ALL));
  });

  it("answers any filter as a scan does", async () => {
    await fc.assert(
      fc.asyncProperty(filter, sort, async (asked, order) => {
        expect(await walkPages(harness, asked, order, 100)).toEqual(sorted(model, asked, order));
        expect(await harness.facets(asked)).toEqual(facets(model, asked));
        expect(await harness.panel(asked)).toEqual(panel(model, asked));
      }),
      { numRuns: 30 },
    );
  });
});
