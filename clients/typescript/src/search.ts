/** Conditions of a search, as the query parameters of the service. */

import type { paths } from "./api.ts";

type SearchQuery = NonNullable<
  paths["/market/collections/{collection_address}/tokens"]["get"]["parameters"]["query"]
>;

export interface TraitConditions {
  readonly chainId?: number;
  /** For each trait type, the values of which a token must have one: `{Class: ["Mage", "Rogue"], Shiny: [true]}`. */
  readonly traits?: Readonly<Record<string, readonly (string | number | boolean)[]>>;
  /** For each number or date trait (Unix seconds), its bounds, both included; an omitted one is open. */
  readonly ranges?: Readonly<
    Record<string, { readonly from?: string | number | bigint; readonly to?: string | number | bigint }>
  >;
  /** Searches names, descriptions and trait values, ignoring case. */
  readonly text?: string;
  /** Wallets, any of which holds the token; up to 20. */
  readonly owner?: string | readonly string[];
  /** With `owner`: also tokens that were delegated to it. */
  readonly includeDelegated?: boolean;
  readonly locked?: boolean;
}

export interface TokenConditions extends TraitConditions {
  /** `id_asc` by default; docs/api.md lists them. */
  readonly sort?: string;
  /** `document`: one token per document, with the `count` of those that have it. */
  readonly group?: "document";
  /** Tokens per page, 1 to 100; 100 by default. */
  readonly pageSize?: number;
}

export function searchQuery(conditions: TokenConditions): SearchQuery {
  const { chainId, traits, ranges, text, owner, includeDelegated, locked, sort, group, pageSize } =
    conditions;
  const criteria = Object.entries(traits ?? {}).map(([name, values]) => ({
    name,
    values: values.map(String),
  }));
  const rangeCriteria = Object.entries(ranges ?? {}).map(([name, { from, to }]) => ({
    name,
    range: { ...(from !== undefined && { from: String(from) }), ...(to !== undefined && { to: String(to) }) },
  }));
  return {
    ...(chainId !== undefined && { chain_id: chainId }),
    ...(criteria.length > 0 && { criteria: JSON.stringify(criteria) }),
    ...(rangeCriteria.length > 0 && { range_criteria: JSON.stringify(rangeCriteria) }),
    ...(text !== undefined && { q: text }),
    ...(owner !== undefined && { owner: [owner].flat().join(",") }),
    ...(includeDelegated !== undefined && { include_delegated: includeDelegated ? "true" : "false" }),
    ...(locked !== undefined && { locked: locked ? "true" : "false" }),
    ...(sort !== undefined && { sort }),
    ...(group !== undefined && { group }),
    ...(pageSize !== undefined && { limit: pageSize }),
  };
}
