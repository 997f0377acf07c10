/** The distribution of traits as a panel of filters counts it. */

import type { CollectionConfig } from "../../config.ts";
import { compareNames } from "../catalog/trait-groups.ts";
import type { Facets, TokenFilter, TraitFacet } from "../search/query.ts";
import type { Search } from "../search/service.ts";

// Each costs a pass over the collection; few people narrow more traits than this at once.
const OWN_COUNTS_MAX = 6;

/**
 * Values of a trait that is filtered by are counted as if it were not, since they add to each other: the count beside
 * a value is how many tokens it would bring. All others count what matches now. `total` is what matches.
 */
export async function countForPanel(
  search: Pick<Search, "facets">,
  collection: CollectionConfig,
  filter: TokenFilter,
): Promise<Facets> {
  const active = [...new Set([...filter.criteria, ...filter.ranges].map(({ name }) => name))];
  const [all, ...others] = await Promise.all([
    search.facets(collection, filter),
    ...active.slice(0, OWN_COUNTS_MAX).map((name) => search.facets(collection, withoutTrait(filter, name))),
  ]);
  const own = others.flatMap(({ traits }, index) =>
    traits.filter((each) => each.trait_type === active[index]),
  );
  const isOwn = (trait: TraitFacet): boolean => own.some((each) => each.trait_type === trait.trait_type);
  const traits = [...all.traits.filter((trait) => !isOwn(trait)), ...own];
  return { total: all.total, traits: traits.sort((a, b) => compareNames(a.trait_type, b.trait_type)) };
}

/** The traits that most tokens have, in the order they came in: one token's document can't push out everybody's. */
export const mostCommon = (traits: readonly TraitFacet[], max: number): readonly TraitFacet[] => {
  const common = new Set([...traits].sort((a, b) => b.count - a.count).slice(0, max));
  return traits.filter((facet) => common.has(facet));
};

/** Those that have an order, and are asked for by its ends. */
export const isRange = ({ display_type }: TraitFacet): boolean =>
  display_type === "number" || display_type === "date";

const withoutTrait = (filter: TokenFilter, name: string): TokenFilter => ({
  ...filter,
  criteria: filter.criteria.filter((each) => each.name !== name),
  ranges: filter.ranges.filter((each) => each.name !== name),
});
