import fc from "fast-check";
import { describe, expect, it, vi } from "vitest";
import {
  createTraitGrouping,
  defaultGroups,
  groupTraits,
  noticesOf,
} from "../../../src/api/catalog/information/trait-groups.ts";
import type { Trait } from "../../../src/api/metadata/document/traits.ts";
import { sortByName } from "../../../src/api/search/rules.ts";

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

const group = (name: string, ...traits: string[]) => ({
  name,
  traits: traits.map((each) => ({ name: each })),
});

describe("groups that are remembered", () => {
  it("are those of the token's own trait types, whichever tokens and collections were asked for before", () => {
    const ofCollections = [[], [], [group("a", "b", "1 a")], [group("b", "b")]];
    const names = fc.constantFrom("a", "b", "1 a", "#1 a", ".1 b", "a.1 b", "");
    const types = fc.constantFrom<Trait["display_type"]>("string", "number");
    const traits = fc.array(
      fc.tuple(names, types).map(([name, type]) => trait(name, type)),
      { maxLength: 4 },
    );
    const asked = fc.array(fc.tuple(traits, fc.constantFrom(...ofCollections)), { maxLength: 30 });
    fc.assert(
      fc.property(asked, (questions) => {
        const grouped = createTraitGrouping();
        for (const [own, groups] of questions) expect(grouped(own, groups)).toEqual(groupTraits(own, groups));
      }),
    );
  });

  it("are made once for tokens of the same trait types", () => {
    const grouped = createTraitGrouping();
    const groups = [group("Outfit", "Hat")];

    const first = grouped([trait("Hat"), trait("Level", "number")], groups);

    expect(grouped([{ ...trait("Hat"), value: "y" }, trait("Level", "number")], groups)).toBe(first);
    expect(grouped([trait("Hat"), trait("Level")], groups)).not.toBe(first);
  });
});

it("groups that are remembered have a bound, whatever strangers write", () => {
  const grouped = createTraitGrouping();
  const none: [] = [];
  const first = grouped([trait("Hat")], none);
  // Of 300 characters each, and some more.
  const ask = (from: number, to: number): void => {
    for (let nth = from; nth < to; nth++) grouped([trait(String(nth))], none);
  };

  ask(0, 15_000);
  expect(grouped([trait("Hat")], none)).toBe(first);
  ask(15_000, 32_000);
  expect(grouped([trait("Hat")], none)).not.toBe(first);
});

describe("groups that a collection's makers submit", () => {
  it("keep their order and that of their traits, whatever the display types", () => {
    const traits = [trait("Hat"), trait("Level", "number"), trait("Boots"), trait("Born", "date")];
    const groups = [group("Stats", "Level", "Born"), group("Outfit", "Hat", "Boots")];

    expect(groupTraits(traits, groups)).toEqual([
      { category: "Stats", traits: ["Level", "Born"] },
      { category: "Outfit", traits: ["Hat", "Boots"] },
    ]);
  });

  it("leave what is in none of them to Others, sorted, numbers and all", () => {
    const traits = [trait("zeal"), trait("Level", "number"), trait("Hat"), trait("Aura")];

    expect(groupTraits(traits, [group("Outfit", "Hat")])).toEqual([
      { category: "Outfit", traits: ["Hat"] },
      { category: "Others", traits: ["Aura", "Level", "zeal"] },
    ]);
  });

  it("share no trait type: its first occurrence counts", () => {
    const groups = [group("A", "Hat", "Hat"), group("B", "Boots", "Hat")];

    expect(groupTraits([trait("Hat"), trait("Boots")], groups)).toEqual([
      { category: "A", traits: ["Hat"] },
      { category: "B", traits: ["Boots"] },
    ]);
  });

  it("show only what the token has, and no group that is empty for it", () => {
    const groups = [group("Outfit", "Hat", "Cape"), group("Pets", "Dog"), group("None")];

    expect(groupTraits([trait("Hat"), trait("Hat")], groups)).toEqual([
      { category: "Outfit", traits: ["Hat"] },
    ]);
    expect(groupTraits([], groups)).toEqual([]);
  });

  it("are one category where they share a name, Others included", () => {
    const groups = [group("Others", "Zeal"), group("Outfit", "Hat"), group("Outfit", "Boots")];
    const traits = [trait("Aura"), trait("Boots"), trait("Hat"), trait("Zeal")];

    expect(groupTraits(traits, groups)).toEqual([
      { category: "Others", traits: ["Zeal", "Aura"] },
      { category: "Outfit", traits: ["Hat", "Boots"] },
    ]);
  });

  it("that are none at all mean the usual categories", () => {
    expect(groupTraits([trait("Hat"), trait("Level", "number")], [])).toEqual([
      { category: "Traits", traits: ["Hat"] },
      { category: "Others", traits: ["Level"] },
    ]);
  });

  it("hold every trait type of any token exactly once", () => {
    const name = fc.constantFrom("Hat", "Boots", "Level", "constructor", "__proto__", "Others", "é");
    const groups = fc.array(fc.record({ name, traits: fc.array(fc.record({ name }), { maxLength: 4 }) }), {
      maxLength: 4,
    });
    fc.assert(
      fc.property(fc.array(name, { maxLength: 6 }), groups, (names, submitted) => {
        const grouped = groupTraits(
          names.map((each) => trait(each)),
          submitted,
        );

        expect(grouped.flatMap(({ traits }) => traits).sort()).toEqual([...new Set(names)].sort());
        expect(grouped.every(({ traits }) => traits.length > 0)).toBe(true);
        const categories = grouped.map(({ category }) => category);
        expect(new Set(categories).size).toBe(categories.length);
      }),
    );
  });

  it("are accepted with a notice for each entry that has no effect", () => {
    const groups = [group("A", "Hat", "Cape"), group("B", "Hat", "Cape")];

    expect(noticesOf(groups, new Set(["Hat"]))).toEqual([
      {
        path: "trait_groups[0].traits[1].name",
        message: 'no token of the collection has a trait type "Cape"',
      },
      {
        path: "trait_groups[1].traits[0].name",
        message: '"Hat" is listed at trait_groups[0].traits[0].name already, which counts',
      },
      {
        path: "trait_groups[1].traits[1].name",
        message: '"Cape" is listed at trait_groups[0].traits[1].name already, which counts',
      },
    ]);
  });
});

describe("the order of names", () => {
  const sort = (names: readonly string[]): string[] => sortByName(names, (name) => name);

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

  it("is total: the same whatever order the names were in", () => {
    const names = fc.uniqueArray(fc.string({ unit: "grapheme", maxLength: 6 }), { maxLength: 6 });
    const orders = names.chain((these) =>
      fc.tuple(fc.constant(these), fc.shuffledSubarray(these, { minLength: these.length })),
    );
    fc.assert(
      fc.property(orders, ([these, shuffled]) => {
        expect(sort(shuffled)).toEqual(sort(these));
      }),
    );
  });

  it("is that of the first thousand characters, then of the whole name", () => {
    const [long, marks] = ["x".repeat(1_000), "\u0315\u0327".repeat(500)];

    expect(sort([`${long}b`, `${long.toUpperCase()}a`, `${long}a`, long])).toEqual([
      `${long.toUpperCase()}a`,
      long,
      `${long}a`,
      `${long}b`,
    ]);
    expect(sort([`B${marks}`, `a${marks}`, `A${marks}`])).toEqual([`A${marks}`, `a${marks}`, `B${marks}`]);
  });

  it("takes both spellings of a letter with thirty marks for one, and not with more", () => {
    const [written, composed] = ["e\u0301", "\u00e9"].map(
      (letter) => (marks: number) => letter + "\u0327".repeat(marks),
    );

    // With its own, the written letter has one more.
    expect(sort([`${written?.(29)}b`, `${composed?.(29)}a`])).toEqual([
      `${composed?.(29)}a`,
      `${written?.(29)}b`,
    ]);
    expect(sort([`${composed?.(30)}a`, `${written?.(30)}b`])).toEqual([
      `${written?.(30)}b`,
      `${composed?.(30)}a`,
    ]);
  });

  it("folds each name once, and long runs of marks not at all: that takes time with their square", () => {
    const names = Array.from({ length: 1_000 }, (_, nth) =>
      `${nth} ${"\u0315\u0327".repeat(60_000)}`.slice(0, nth < 2 ? 120_000 : 900),
    );
    const normalize = vi.spyOn(String.prototype, "normalize");
    try {
      sort(names);
      expect(normalize).not.toHaveBeenCalled();
      sort(Array.from({ length: 1_000 }, (_, nth) => `Name ${nth}`));
      expect(normalize).toHaveBeenCalledTimes(1_000);
    } finally {
      normalize.mockRestore();
    }
  });
});
