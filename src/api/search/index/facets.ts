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
// Of up to three bytes each: 8 MiB, the size of a page of tokens.
const ANSWER_CHARACTERS_MAX = 2_500_000;
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
  const share = shareOf(types.length);
  const traits: FacetColumns[] = [];
  for (const { type, count } of types) {
    yield;
    traits.push(facetOf(index, type, { count, valueCounts, share }));
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
  const share = shareOf(traits.length);
  const all = traits.filter(({ trait_type }) => !matches.byTrait.has(trait_type));
  for (const [name, slots] of slotsWithoutEach(matches)) {
    yield;
    const known = knownOf(name);
    // Facets with more or fewer trait types list fewer or more values of each.
    const isSame = known?.values.length === Math.min(share.values, known?.values_total ?? 0);
    const own = isSame ? known : countOwn(index, name, slots, share);
    if (own) all.push(own);
  }
  return { ...counted, traits: sortByName(all, ({ trait_type }) => trait_type) };
}

function countOwn(
  index: CollectionIndex,
  name: string,
  slots: Bits,
  share: TypeShare,
): FacetColumns | undefined {
  const type = index.table.find(name);
  if (!type || type.name === null) return undefined;
  const valueCounts = countValuesOf(index, slots, type);
  const count = countType(index, slots, type, valueCounts);
  if (count === 0) return undefined;
  return facetOf(index, type, { count, valueCounts, share });
}

/** The most that a type lists. */
export interface TypeShare {
  readonly values: number;
  readonly characters: number;
}

/** The share of each of so many types. */
export const shareOf = (types: number): TypeShare => ({
  values: Math.min(FACET_VALUES_MAX, Math.floor(ANSWER_VALUES_MAX / Math.max(1, types))),
  characters: Math.floor(ANSWER_CHARACTERS_MAX / Math.max(1, types)),
});

/** Those of the values, from the first, that fit into a type's characters; the first in any case. */
export function fitValues<Value>(values: readonly Value[], { characters }: TypeShare): readonly Value[] {
  let sum = 0;
  const end = values.findIndex((value, nth) => {
    sum += String(value).length;
    return nth > 0 && sum > characters;
  });
  return end === -1 ? values : values.slice(0, end);
}

function facetOf(
  { table }: CollectionIndex,
  type: TraitType,
  counted: { count: number; valueCounts: Uint32Array; share: TypeShare },
): FacetColumns {
  const { count, valueCounts, share } = counted;
  const ordered = table.orders.of(type);
  // By position: a later value ranks behind all that are as frequent.
  const mostFrequent = createTopK(
    share.values,
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
  const values = fitValues(
    listedValues.map((value) => shownValue(table, type, value)),
    share,
  );
  return {
    trait_type: type.name ?? "",
    display_type: type.displayType,
    count,
    min: isNumeric && first !== undefined ? table.numberOf(first) : null,
    max: isNumeric && last !== undefined ? table.numberOf(last) : null,
    max_value: type.displayType === "number" ? type.highest : null,
    values,
    counts: Uint32Array.from(listedValues.slice(0, values.length), (value) => valueCounts[value] as number),
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
