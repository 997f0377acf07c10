/** Turns facets into what a panel can show, in an order that filters don't change. */

import type { Facets, TraitFacet } from "../../search/query.ts";

/** The traits that most tokens have, the most common first: one token's document can't displace common traits. */
export const mostCommon = (traits: readonly TraitFacet[], max: number): readonly TraitFacet[] =>
  [...traits].sort((a, b) => b.count - a.count).slice(0, max);

/** Traits that have an order and are filtered by range. */
export const isRange = ({ display_type }: TraitFacet): boolean =>
  display_type === "number" || display_type === "date";

/**
 * The traits, values and bounds of the whole collection, in its order, with the counts under a filter: nothing moves or
 * vanishes when a visitor filters, and what no token has any more shows 0.
 */
export function steady(whole: Facets, filtered: Facets): Facets {
  const under = new Map(filtered.traits.map((trait) => [trait.trait_type, trait]));
  const known = new Set(whole.traits.map(({ trait_type }) => trait_type));
  return {
    ...filtered,
    traits: [
      ...whole.traits.map((trait) => withCounts(trait, under.get(trait.trait_type))),
      // A trait that appeared between the two counts.
      ...filtered.traits.filter(({ trait_type }) => !known.has(trait_type)),
    ],
  };
}

function withCounts(whole: TraitFacet, filtered: TraitFacet | undefined): TraitFacet {
  const counts = new Map(filtered?.values.map(({ value, count }) => [String(value), count]));
  const known = new Set(whole.values.map(({ value }) => String(value)));
  return {
    ...whole,
    values: [
      ...whole.values.map((each) => ({ ...each, count: counts.get(String(each.value)) ?? 0 })),
      ...(filtered?.values.filter(({ value }) => !known.has(String(value))) ?? []),
    ],
  };
}
