/** Facets as a page has room for them. */

import type { TraitFacet } from "../../search/query.ts";

/** The traits that most tokens have, in the order they came in: one token's document can't push out everybody's. */
export const mostCommon = (traits: readonly TraitFacet[], max: number): readonly TraitFacet[] => {
  const common = new Set([...traits].sort((a, b) => b.count - a.count).slice(0, max));
  return traits.filter((facet) => common.has(facet));
};

/** Those that have an order, and are asked for by its ends. */
export const isRange = ({ display_type }: TraitFacet): boolean =>
  display_type === "number" || display_type === "date";
