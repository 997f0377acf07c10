/** The distribution of traits among the matching tokens. */

import type { Steps } from "../../async/yield-to-event-loop.ts";
import { type Bits, countBits } from "../columns/bits.ts";
import { sortByName } from "../columns/folded-text.ts";
import type { TraitTable, TraitType } from "../columns/trait-table.ts";
import { countType, countTypes, countValuesOf, withValueCounts } from "../columns/value-counts.ts";
import type { CountedFacets, FacetColumns } from "../query.ts";
import type { CollectionIndex } from "./collection-index.ts";
import { type Matches, slotsWithoutEach } from "./match.ts";
import { createTopK } from "./top-k.ts";

/** Per trait type; a response with many types lists fewer of each. */
export const FACET_VALUES_MAX = 1_000;
export const ANSWER_VALUES_MAX = 20_000;
/** The types with the most tokens. */
export const FACET_TYPES_MAX = 1_000;

/**
 * Trait types in alphabetical order, each with its most frequent values first. `slots` must be present; `listed` is the
 * number of listed tokens. The search index must not change between steps.
 */
export const facetSteps = (index: CollectionIndex, slots: Bits, listed: number): Steps<CountedFacets> =>
  withValueCounts(index, slots, (valueCounts) => listFacets(index, slots, listed, valueCounts));

function* listFacets(
  index: CollectionIndex,
  slots: Bits,
  listed: number,
  valueCounts: Uint32Array<ArrayBuffer>,
): Steps<CountedFacets> {
  const total = countBits(slots);
  const typeCounts = countTypes(index, slots, valueCounts);
  const mostFrequent = index.table.types
    .map((type, at) => ({ type, count: typeCounts[at] as number }))
    .filter(({ type, count }) => count > 0 && type.name !== null)
    .sort((a, b) => b.count - a.count)
    .slice(0, FACET_TYPES_MAX);
  const types = sortByName(mostFrequent, ({ type }) => type.name ?? "");
  const valuesMax = valuesMaxOf(types.length);
  const traits: FacetColumns[] = [];
  for (const { type, count } of types) {
    yield;
    traits.push(facetOf(index, type, { count, valueCounts, valuesMax }));
  }
  return { total, listed, traits };
}

/**
 * The same, but counts each trait with conditions among the tokens that match all other conditions. `knownOf` may
 * return a cached facet of such a trait.
 */
export function* panelSteps(
  index: CollectionIndex,
  matches: Matches,
  listed: number,
  knownOf: (name: string) => FacetColumns | undefined,
): Steps<CountedFacets> {
  const { traits, ...counted } = yield* facetSteps(index, matches.slots, listed);
  const valuesMax = valuesMaxOf(traits.length);
  const all = traits.filter(({ trait_type }) => !matches.byTrait.has(trait_type));
  for (const [name, slots] of slotsWithoutEach(matches)) {
    yield;
    const known = knownOf(name);
    // Facets with more or fewer trait types list fewer or more values of each.
    const isSame = known?.values.length === Math.min(valuesMax, known?.values_total ?? 0);
    const own = isSame ? known : countOwn(index, name, slots, valuesMax);
    if (own) all.push(own);
  }
  return { ...counted, traits: sortByName(all, ({ trait_type }) => trait_type) };
}

function countOwn(
  index: CollectionIndex,
  name: string,
  slots: Bits,
  valuesMax: number,
): FacetColumns | undefined {
  const type = index.table.find(name);
  if (!type || type.name === null) return undefined;
  const valueCounts = countValuesOf(index, slots, type);
  const count = countType(index, slots, type, valueCounts);
  if (count === 0) return undefined;
  return facetOf(index, type, { count, valueCounts, valuesMax });
}

/** How many values each of so many types lists. */
export const valuesMaxOf = (types: number): number =>
  Math.min(FACET_VALUES_MAX, Math.floor(ANSWER_VALUES_MAX / Math.max(1, types)));

function facetOf(
  { table }: CollectionIndex,
  type: TraitType,
  counted: { count: number; valueCounts: Uint32Array; valuesMax: number },
): FacetColumns {
  const { count, valueCounts, valuesMax } = counted;
  const ordered = table.orders.of(type);
  // By position: a later value ranks behind all that are as frequent.
  const mostFrequent = createTopK(
    valuesMax,
    (a, b) =>
      (valueCounts[ordered[b] as number] as number) - (valueCounts[ordered[a] as number] as number) || a - b,
  );
  let valuesTotal = 0;
  let first: number | undefined;
  let last: number | undefined;
  let tooFew = 0;
  for (let nth = 0; nth < ordered.length; nth++) {
    const value = ordered[nth] as number;
    const count = valueCounts[value] as number;
    if (count === 0) continue;
    valuesTotal++;
    first ??= value;
    last = value;
    if (count <= tooFew || table.textOf(value) === undefined) continue;
    mostFrequent.offer(nth);
    const least = mostFrequent.largest();
    if (least !== undefined) tooFew = valueCounts[ordered[least] as number] as number;
  }
  const isNumeric = type.displayType === "number" || type.displayType === "date";
  const listedValues = mostFrequent.take().map((nth) => ordered[nth] as number);
  return {
    trait_type: type.name ?? "",
    display_type: type.displayType,
    count,
    min: isNumeric && first !== undefined ? table.numberOf(first) : null,
    max: isNumeric && last !== undefined ? table.numberOf(last) : null,
    max_value: type.displayType === "number" ? type.highest : null,
    values: listedValues.map((value) => shownValue(table, type, value)),
    counts: Uint32Array.from(listedValues, (value) => valueCounts[value] as number),
    values_total: valuesTotal,
  };
}

export function shownValue(
  table: TraitTable,
  { displayType }: TraitType,
  value: number,
): string | number | boolean {
  const text = table.textOf(value) ?? "";
  if (displayType === "string") return text;
  return displayType === "bool" ? text === "true" : table.numberOf(value);
}
