/** How much of what was counted is kept, and for how long. */

import { beforeAll, expect, it } from "vitest";
import { createYield } from "../../../src/api/async/yield-to-event-loop.ts";
import { emptyBits } from "../../../src/api/search/columns/bits.ts";
import { createCollectionIndex } from "../../../src/api/search/index/collection-index.ts";
import { createResultCache } from "../../../src/api/search/result-cache.ts";

const row = {
  tokenId: "1",
  name: "Hero",
  description: null,
  servedAt: null,
  sinceBlock: null,
  document: null,
  traits: [],
};
const named = (text: string) => ({ criteria: [], ranges: [], text });
const index = createCollectionIndex();
const burned = emptyBits(1);

beforeAll(async () => {
  index.append(row);
  await index.finish(createYield());
});

it("is a known amount of memory, however long the filters are, and the latest ones", () => {
  const results = createResultCache();
  const answers = () => results.at(index, { burned });
  const long = "x".repeat(500_000);
  for (let nth = 0; nth < 40; nth++) answers().facets(named(`${nth} ${long}`), "facets");

  expect(answers().knownFacets(named(`39 ${long}`), "facets")).toBeDefined();
  expect(answers().knownFacets(named(`0 ${long}`), "facets")).toBeUndefined();
  expect(results.memory).toBeGreaterThan(5_000_000);
  expect(results.memory).toBeLessThanOrEqual(640_000 * 12);
});

it("is nothing once other tokens are burned or the search index has changed", () => {
  const results = createResultCache();
  const all = named("");
  const counted = results.at(index, { burned }).facets(all, "facets");
  expect(results.at(index, { burned }).knownFacets(all, "facets")).toBe(counted);
  expect(results.at(index, { burned: emptyBits(1) }).knownFacets(all, "facets")).toBeUndefined();

  const again = results.at(index, { burned }).facets(all, "facets");
  expect(again).not.toBe(counted);
  index.change([{ ...row, name: "Other" }], []);
  expect(results.at(index, { burned }).knownFacets(all, "facets")).toBeUndefined();
});

it("is apart for each set of tokens that a filter asks the chain for", () => {
  const results = createResultCache();
  const filter = { ...named(""), locked: true };
  const [one, other] = [emptyBits(1), emptyBits(1)];
  const counted = results.at(index, { burned, locked: one }).facets(filter, "facets");

  expect(results.at(index, { burned, locked: one }).knownFacets(filter, "facets")).toBe(counted);
  expect(results.at(index, { burned, locked: other }).knownFacets(filter, "facets")).toBeUndefined();
  expect(results.at(index, { burned, unlocked: one }).knownFacets(filter, "facets")).toBeUndefined();
});
