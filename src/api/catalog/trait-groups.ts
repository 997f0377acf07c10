/** How traits are grouped in the `Properties` section of a token page (spec.md "Trait groups"). */

import type { Trait } from "../metadata/traits.ts";

export interface TraitGroup {
  readonly category: string;
  readonly traits: readonly string[];
}

/** Rule 4, for a collection without groups of its own: numbers are `Others`, the rest `Traits`, both sorted. */
export function defaultGroups(traits: readonly Trait[]): TraitGroup[] {
  const names = (isNumber: boolean): string[] =>
    [
      ...new Set(traits.filter((t) => (t.display_type === "number") === isNumber).map((t) => t.trait_type)),
    ].sort(compareNames);
  return [
    { category: "Traits", traits: names(false) },
    { category: "Others", traits: names(true) },
  ].filter((group) => group.traits.length > 0);
}

/** Code point order of the lower-cased NFC name; the name itself decides between equals. */
export function compareNames(a: string, b: string): number {
  return (
    compareCodePoints(a.normalize("NFC").toLowerCase(), b.normalize("NFC").toLowerCase()) ||
    compareCodePoints(a, b)
  );
}

/** JavaScript compares UTF-16 units, which puts U+10000 and up before U+E000. */
function compareCodePoints(a: string, b: string): number {
  const left = [...a];
  const right = [...b];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    const difference = (left[i]?.codePointAt(0) ?? 0) - (right[i]?.codePointAt(0) ?? 0);
    if (difference !== 0) return difference;
  }
  return left.length - right.length;
}
