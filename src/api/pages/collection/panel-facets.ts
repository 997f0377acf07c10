/** Turns facets into what a panel can show, in an order that filters don't change. */

import type { Facets, TraitFacet } from "../../search/query.ts";
import { encodedLength, fieldOf } from "./filter-query.ts";

const TRAITS_MAX = 60;
// What is filtered is in the page's URL, of which servers take 16 KiB and proxies often 8.
const ENCODED_MAX = 600;
// Without a script, a form sends the fields of all ranges, filled in or not.
const RANGES_ENCODED_MAX = 4_096;

/** A trait of a panel. The count of a value is undefined where an answer doesn't list it: only the most frequent are. */
export interface PanelFacet extends Omit<TraitFacet, "values"> {
  readonly values: readonly {
    readonly value: string | number | boolean;
    readonly count: number | undefined;
  }[];
}

export interface PanelFacets extends Omit<Facets, "traits"> {
  readonly traits: readonly PanelFacet[];
}

/** The traits that most tokens have, the most common first: one token's document can't displace common traits. */
export const mostCommon = (traits: readonly PanelFacet[], max: number): readonly PanelFacet[] =>
  [...traits].sort((a, b) => b.count - a.count).slice(0, max);

/** The most common traits that fit in a panel's form: their names are short, and those of all ranges together. */
export function offeredIn(traits: readonly PanelFacet[]): readonly PanelFacet[] {
  const offered: PanelFacet[] = [];
  let space = RANGES_ENCODED_MAX;
  for (const facet of mostCommon(traits, traits.length)) {
    if (offered.length === TRAITS_MAX) break;
    const length = isRange(facet) ? rangeLength(facet) : 0;
    if (!hasShortName(facet) || length > space) continue;
    offered.push(facet);
    space -= length;
  }
  return offered;
}

/** How many characters both ends of an empty range have in a query string. */
const rangeLength = (facet: PanelFacet): number =>
  fieldLengths(facet).reduce((sum, length) => sum + length + "=&".length, 0);

/** Whether a trait can be filtered by without filling the URL. */
export const hasShortName = (facet: PanelFacet): boolean => Math.max(...fieldLengths(facet)) <= ENCODED_MAX;

/** The same of a value. */
export const isShortValue = (text: string): boolean => encodedLength(text) <= ENCODED_MAX;

const fieldLengths = (facet: PanelFacet): number[] =>
  (isRange(facet) ? ["from", "to"] : ["is"]).map((kind) =>
    encodedLength(fieldOf([`${kind}:${facet.trait_type}`, ""])[0]),
  );

/** Traits that have an order and are filtered by range. */
export const isRange = ({ display_type }: Pick<TraitFacet, "display_type">): boolean =>
  display_type === "number" || display_type === "date";

/**
 * The traits, values and bounds of the whole collection, in its order, with the counts under a filter: nothing moves or
 * vanishes when a visitor filters, and what no token has any more shows 0.
 */
export function steady(whole: Facets, filtered: Facets): PanelFacets {
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

/** The count of a value that an answer leaves out: none, unless it leaves out more than those without any. */
export const unlistedCount = ({ values, values_total }: Pick<PanelFacet, "values" | "values_total">) =>
  values.length < values_total ? undefined : 0;

function withCounts(whole: TraitFacet, filtered: TraitFacet | undefined): PanelFacet {
  const unlisted = filtered === undefined ? 0 : unlistedCount(filtered);
  const counts = new Map(filtered?.values.map(({ value, count }) => [String(value), count]));
  const known = new Set(whole.values.map(({ value }) => String(value)));
  return {
    ...whole,
    values: [
      ...whole.values.map((each) => ({ ...each, count: counts.get(String(each.value)) ?? unlisted })),
      ...(filtered?.values.filter(({ value }) => !known.has(String(value))) ?? []),
    ],
  };
}
