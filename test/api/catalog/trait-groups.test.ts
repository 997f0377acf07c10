import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { compareNames, defaultGroups } from "../../../src/api/catalog/trait-groups.ts";
import type { Trait } from "../../../src/api/metadata/traits.ts";

const trait = (trait_type: string, display_type: Trait["display_type"] = "string"): Trait => ({
  trait_type,
  display_type,
  value: display_type === "bool" ? true : display_type === "string" ? "x" : 1,
});

describe("groups of a collection without groups of its own", () => {
  it("put strings, dates and booleans in Traits and numbers in Others, both sorted", () => {
    const traits = [
      trait("level", "number"),
      trait("Zeal", "bool"),
      trait("born", "date"),
      trait("Class"),
      trait("Attack", "number"),
    ];

    expect(defaultGroups(traits)).toEqual([
      { category: "Traits", traits: ["born", "Class", "Zeal"] },
      { category: "Others", traits: ["Attack", "level"] },
    ]);
  });

  it("name each trait type once and leave empty groups out", () => {
    expect(defaultGroups([trait("Aura"), trait("Aura"), trait("Beast")])).toEqual([
      { category: "Traits", traits: ["Aura", "Beast"] },
    ]);
    expect(defaultGroups([trait("Level", "number")])).toEqual([{ category: "Others", traits: ["Level"] }]);
    expect(defaultGroups([])).toEqual([]);
  });
});

describe("the order of names", () => {
  const sort = (names: readonly string[]): string[] => [...names].sort(compareNames);

  it.each([
    ["is blind to case", ["b", "C", "a", "B"], ["a", "B", "b", "C"]],
    [
      "takes both spellings of an accent for one letter",
      ["e\u0301b", "\u00e9a", "f"],
      ["f", "\u00e9a", "e\u0301b"],
    ],
    [
      "is that of code points, not of UTF-16 units",
      ["\u{1F48E}", "\uE000", "z"],
      ["z", "\uE000", "\u{1F48E}"],
    ],
    ["puts a name before those it begins", ["ab", "a", "abc", ""], ["", "a", "ab", "abc"]],
    ["puts digits before letters and does not count", ["10", "9", "a"], ["10", "9", "a"]],
  ])("%s", (_what, names, sorted) => {
    expect(sort(names)).toEqual(sorted);
  });

  it("is total: equal only for the same name, and the same from both sides", () => {
    const name = fc.string({ unit: "grapheme", maxLength: 6 });
    fc.assert(
      fc.property(name, name, name, (a, b, c) => {
        expect(Math.sign(compareNames(a, b))).toBe(-Math.sign(compareNames(b, a)) + 0);
        expect(compareNames(a, b) === 0).toBe(a === b);
        if (compareNames(a, b) <= 0 && compareNames(b, c) <= 0)
          expect(compareNames(a, c)).toBeLessThanOrEqual(0);
      }),
    );
  });
});
