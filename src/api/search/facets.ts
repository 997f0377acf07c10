/** The distribution of traits among the tokens that match. */

import { type Bits, countBits } from "./bits.ts";
import type { CollectionIndex } from "./collection-index.ts";
import { folded, foldedBytes } from "./folded-text.ts";
import type { Facets, TraitFacet } from "./query.ts";
import { createSmallest } from "./smallest.ts";
import type { TraitType } from "./trait-table.ts";
import { countTypes, countValues } from "./value-counts.ts";

/** Of one trait type; in an answer with many types, each lists fewer. */
export const FACET_VALUES_MAX = 1_000;
const ANSWER_VALUES_MAX = 20_000;
/** Those that most tokens have. */
export const FACET_TYPES_MAX = 1_000;

/** Trait types in alphabetical order, their values the most frequent first. `slots` are present ones. */
export function countFacets(index: CollectionIndex, slots: Bits): Facets {
  const total = countBits(slots);
  const valueCounts = countValues(index, slots);
  const typeCounts = countTypes(index, slots, valueCounts);
  const types = index.table.types
    .map((type, at) => ({ type, count: typeCounts[at] as number }))
    .filter(({ type, count }) => count > 0 && type.name !== null)
    .sort((a, b) => b.count - a.count)
    .slice(0, FACET_TYPES_MAX)
    .sort((a, b) => compareNames(a.type.name ?? "", b.type.name ?? ""));
  const valuesMax = Math.min(FACET_VALUES_MAX, Math.floor(ANSWER_VALUES_MAX / Math.max(1, types.length)));
  return {
    total,
    traits: types.map(({ type, count }) => facetOf(index, type, { count, total, valueCounts, valuesMax })),
  };
}

function facetOf(
  { table }: CollectionIndex,
  type: TraitType,
  counted: { count: number; total: number; valueCounts: Uint32Array; valuesMax: number },
): TraitFacet {
  const { count, total, valueCounts, valuesMax } = counted;
  const within = table.compareWithin(type);
  const textAt = (value: number): string => table.textOf(value) ?? "";
  const mostFrequent = createSmallest(
    valuesMax,
    (a, b) =>
      (valueCounts[b] as number) - (valueCounts[a] as number) ||
      within(a, b) ||
      (textAt(a) < textAt(b) ? -1 : 1),
  );
  let valuesTotal = 0;
  let min = Number.POSITIVE_INFINITY;
  let max = Number.NEGATIVE_INFINITY;
  for (const value of type.values) {
    if (valueCounts[value] === 0 || !table.isShown(value)) continue;
    valuesTotal++;
    const number = table.numberOf(value);
    if (number < min) min = number;
    if (number > max) max = number;
    if (table.textOf(value) !== undefined) mostFrequent.offer(value);
  }
  const isNumeric = type.displayType === "number" || type.displayType === "date";
  return {
    trait_type: type.name ?? "",
    display_type: type.displayType,
    count,
    min: isNumeric ? min : null,
    max: isNumeric ? max : null,
    max_value: type.displayType === "number" ? type.highest : null,
    values: mostFrequent.take().map((value) => ({
      value: shownValue(type, textAt(value), table.numberOf(value)),
      count: valueCounts[value] as number,
      percentage: ((valueCounts[value] as number) / total) * 100,
    })),
    values_total: valuesTotal,
  };
}

function shownValue({ displayType }: TraitType, text: string, number: number): string | number | boolean {
  if (displayType === "string") return text;
  return displayType === "bool" ? text === "true" : number;
}

const compareNames = (a: string, b: string): number =>
  Buffer.compare(foldedBytes(a), foldedBytes(b)) || (folded(a) === folded(b) ? (a < b ? -1 : 1) : 0);
