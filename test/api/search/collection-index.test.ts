import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { TokenRarity } from "../../../src/api/search/index/rarity.ts";
import * as any from "./arbitraries.ts";
import { createIndexHarness, type Operation, walkPages, walkStacks } from "./index-harness.ts";
import { completed, facets, type ModelToken, named, panel, rarities, sorted, stacked } from "./model.ts";

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("put" as const), token: any.token }) },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("forget" as const), tokenId: any.tokenId }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("approve" as const),
      name: any.traitType,
      displayType: any.displayType,
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("rebuild" as const), token: any.token }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("prepare" as const), name: any.traitType, token: any.token }),
  },
);
const question = fc.record({
  filter: any.filter,
  sort: any.sort,
  limit: fc.integer({ min: 1, max: 7 }),
  prefix: any.valuePrefix,
  names: any.nameQuery,
});
const loaded = fc.uniqueArray(any.token, { selector: ({ tokenId }) => tokenId, maxLength: 30 });
const ALL = { criteria: [], ranges: [] };

function expectSameRarities(found: ReadonlyMap<string, TokenRarity>, expected: typeof found): void {
  expect([...found.keys()].sort()).toEqual([...expected.keys()].sort());
  for (const [tokenId, { rank, score, of }] of expected) {
    expect(found.get(tokenId)).toEqual({ rank, of, score: expect.closeTo(score, 8) });
  }
}

describe("whatever was put in, forgotten, approved or burned", () => {
  it("all pages together are what a scan finds, in its order, and so are totals and facets", async () => {
    await fc.assert(
      fc.asyncProperty(
        loaded,
        fc.array(fc.tuple(operation, question), { maxLength: 12 }),
        question,
        async (tokens, steps, last) => {
          const search = createIndexHarness();
          await search.load(tokens);

          for (const [step, { filter, sort, limit, prefix, names }] of [
            ...steps,
            [undefined, last] as const,
          ]) {
            const expected = sorted(search.model, filter, sort);
            expect(await walkPages(search, filter, sort, limit)).toEqual(expected);
            expect((await search.page({ filter, sort, limit })).total).toBe(expected.length);
            const stacks = stacked(search.model, filter, sort);
            expect(await walkStacks(search, filter, sort, limit)).toEqual(stacks);
            const group = "document" as const;
            expect((await search.page({ filter, sort, limit, group })).total).toBe(stacks.length);
            expect(search.facets(filter)).toEqual(facets(search.model, filter));
            expect(search.facets(ALL)).toEqual(facets(search.model, ALL));
            expect(search.panel(filter)).toEqual(panel(search.model, filter));
            expect(search.completed(prefix)).toEqual(completed(search.model, prefix));
            expect(search.named(names)).toEqual(named(search.model, names));
            expectSameRarities(await search.rarities(), rarities(search.model));
            if (step) await search.run(step);
          }
        },
      ),
      { numRuns: 300 },
    );
  });

  it("an offset leaves out as many as it says", async () => {
    await fc.assert(
      fc.asyncProperty(loaded, question, fc.nat(35), async (tokens, { filter, sort, limit }, offset) => {
        const search = createIndexHarness();
        await search.load(tokens);

        const { tokenIds } = await search.page({ filter, sort, limit, offset });

        expect(tokenIds).toEqual(sorted(search.model, filter, sort).slice(offset, offset + limit));
      }),
      { numRuns: 100 },
    );
  });
});

it("beside a trait stands what a scan counts, whether few, half or most of many tokens match the rest", async () => {
  const search = createIndexHarness();
  const text = (trait_type: string, value: string) => ({
    trait_type,
    display_type: "string" as const,
    value,
  });
  const tokenOf = (nth: number, few: number): ModelToken => ({
    tokenId: String(nth),
    name: null,
    description: null,
    servedAt: null,
    sinceBlock: null,
    burned: nth % 100 === 7,
    traits: [
      text("Few", `${few % 100}`),
      text("Half", `${nth % 2}`),
      text("Most", nth % 50 === 0 ? "no" : "yes"),
      ...(nth % 3 === 0 ? [text("Most", "too")] : []),
      { trait_type: "Level", display_type: "number", value: nth % 10 },
    ],
  });
  await search.load(Array.from({ length: 1_000 }, (_, nth) => tokenOf(nth, nth)));
  for (let nth = 0; nth < 30; nth++)
    await search.run({ kind: "put", token: tokenOf(nth * 33, nth * 33 + 1) });
  const is = (name: string, ...values: string[]) => ({ name, values });
  const criteria = [is("Few", "3", "34"), is("Half", "1"), is("Most", "yes"), is("Nothing", "at all")];
  const ranges = [{ name: "Level", from: 2, to: 8 }];

  for (let some = 0; some < 2 ** criteria.length; some++) {
    const chosen = criteria.filter((_, at) => (some >>> at) % 2 === 1);
    for (const filter of [
      { criteria: chosen, ranges: [] },
      { criteria: chosen, ranges },
    ]) {
      expect(search.panel(filter)).toEqual(panel(search.model, filter));
    }
  }
});

it("what changes between two pages moves nothing else: no token is repeated or lost", async () => {
  await fc.assert(
    fc.asyncProperty(
      loaded,
      // The rarity of a token changes with the traits of others.
      any.sort.filter(({ by }) => by !== "rarity"),
      fc.array(
        operation.filter(({ kind }) => kind !== "approve"),
        { maxLength: 8 },
      ),
      async (tokens, sort, operations) => {
        const search = createIndexHarness();
        await search.load(tokens);
        const before = sorted(search.model, ALL, sort);
        const seen: string[] = [];
        const changed = new Set<string>();
        let cursor: string | undefined;
        do {
          const page = await search.page({
            filter: ALL,
            sort,
            limit: 3,
            ...(cursor !== undefined && { cursor }),
          });
          seen.push(...page.tokenIds);
          cursor = page.nextCursor ?? undefined;
          const step = operations.pop();
          if (step) await search.run(step);
          if (step && "token" in step) changed.add(step.token.tokenId);
          if (step?.kind === "forget") changed.add(step.tokenId);
        } while (cursor !== undefined);

        const unchanged = (tokenId: string): boolean => !changed.has(tokenId);
        expect(seen.filter(unchanged)).toEqual(before.filter(unchanged));
      },
    ),
    { numRuns: 300 },
  );
});
