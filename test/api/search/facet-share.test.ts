import { describe, expect, it } from "vitest";
import { fitValues, shareOf } from "../../../src/api/search/index/facets.ts";

describe("a type's share of an answer", () => {
  it.each([
    [0, { values: 1_000, characters: 2_500_000 }],
    [20, { values: 1_000, characters: 125_000 }],
    [21, { values: 952, characters: 119_047 }],
    [1_000, { values: 20, characters: 2_500 }],
  ])("is, of %d types, %j", (types, share) => {
    expect(shareOf(types)).toEqual(share);
  });

  it.each([
    [3, ["ab"]],
    [4, ["ab", 12]],
    [7, ["ab", 12]],
    [8, ["ab", 12, true]],
    [0, ["ab"]],
  ])("of %d characters has the first values that fit, and one in any case", (characters, listed) => {
    expect(fitValues(["ab", 12, true], { values: 3, characters })).toEqual(listed);
  });

  it("is empty without values", () => {
    expect(fitValues([], { values: 3, characters: 10 })).toEqual([]);
  });
});
