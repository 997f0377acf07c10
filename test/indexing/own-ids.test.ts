import fc from "fast-check";
import { expect, it } from "vitest";
import { addId, addOwnId, outside } from "../../src/indexing/own-ids.ts";
import type { Bounds } from "../../src/indexing/token-ranges.ts";

const collect = (ids: readonly bigint[]): readonly Bounds[] => ids.reduce(addId, [] as readonly Bounds[]);

it("tokens minted one after another are one span, in any order", () => {
  expect(collect([5n, 6n, 4n, 8n, 7n, 6n])).toEqual([[4n, 8n]]);
});

it("up to 16 spans are exact, and then the closest are joined", () => {
  const ids = Array.from({ length: 16 }, (_, each) => BigInt(each * each * 10));
  expect(collect(ids)).toEqual(ids.map((id) => [id, id]));
  expect(collect([...ids, 9_999n])).toEqual([
    [0n, 10n],
    ...ids.slice(2).map((id) => [id, id]),
    [9_999n, 9_999n],
  ]);
});

it("spans contain every id, are ordered, apart and few, and leave the rest outside", () => {
  fc.assert(
    fc.property(fc.array(fc.bigInt(0n, 200n), { maxLength: 60 }), (ids) => {
      const spans = collect(ids);
      expect(spans.length).toBeLessThanOrEqual(16);
      for (const id of ids) expect(spans.some(([first, last]) => first <= id && id <= last)).toBe(true);
      for (const [at, [first]] of spans.entries()) {
        if (at > 0) expect(first).toBeGreaterThan((spans[at - 1]?.[1] ?? 0n) + 1n);
      }
      const rest = outside([0n, 200n], spans);
      const sizes = [...spans, ...rest].map(([first, last]) => last - first + 1n);
      expect(sizes.reduce((sum, size) => sum + size, 0n)).toBe(201n);
      expect(sizes.every((size) => size > 0n)).toBe(true);
    }),
  );
});

it("what is stored is read again, of several collections in turn", () => {
  const [one, other] = [addOwnId(null, 1n), addOwnId(null, 2n ** 256n - 1n)];

  expect(addOwnId(one, 2n)).toBe('[["1","2"]]');
  expect(addOwnId(other, 3n)).toBe(`[["3","3"],["${2n ** 256n - 1n}","${2n ** 256n - 1n}"]]`);
  expect(addOwnId(one, 1n)).toBe(one);
});
