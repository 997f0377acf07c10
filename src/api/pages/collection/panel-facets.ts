/** Reduces facets to what a page can show. */

import type { TraitFacet } from "../../search/query.ts";

/** The traits that most tokens have, in their original order: one token's document can't displace common traits. */
export const mostCommon = (traits: readonly TraitFacet[], max: number): readonly TraitFacet[] => {
  const common = new Set([...traits].sort((a, b) => b.count - a.count).slice(0, max));
  return traits.filter((facet) => common.has(facet));
};

/** Traits that have an order and are filtered by range. */
export const isRange = ({ display_type }: TraitFacet): boolean =>
  display_type === "number" || display_type === "date";
