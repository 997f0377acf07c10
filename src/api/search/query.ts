/** Search requests and results. */

import type { DisplayType } from "../metadata/document/traits.ts";
import type { TokenRarity } from "./index/rarity.ts";

/** All conditions must match. Values are compared with the value's JSON text, or the string itself. */
export interface TokenFilter {
  /** A token matches a criterion if it has any of the values; all criteria must match. */
  readonly criteria: readonly { readonly name: string; readonly values: readonly string[] }[];
  /** Number and date traits; both ends inclusive. */
  readonly ranges: readonly {
    readonly name: string;
    readonly from?: number | undefined;
    readonly to?: number | undefined;
  }[];
  /** Searched in name, description and trait values, ignoring case. */
  readonly text?: string | undefined;
  /** Searched in the name, ignoring case. */
  readonly name?: string | undefined;
  /** Lower-case addresses, any of which holds the token: distinct, in ascending order. */
  readonly owners?: readonly string[] | undefined;
  /** Whether a token that was delegated to one of the owners matches, too. */
  readonly includeDelegated?: boolean | undefined;
  readonly locked?: boolean | undefined;
}

/**
 * `latest`: newest first, by the block of their first mint or transfer; `updated`: most recently served document
 * first; `rarity`: rarest first. Tokens without a name, or without the trait sorted by, come last in both
 * directions. Ties are ordered by token id, ascending.
 */
export type TokenSort =
  | { readonly by: "id" | "name"; readonly descending: boolean }
  | { readonly by: "latest" | "updated" | "rarity" }
  | { readonly by: "trait"; readonly name: string; readonly descending: boolean };

export interface TokenQuery {
  readonly filter: TokenFilter;
  readonly sort: TokenSort;
  /** 1 to 100. */
  readonly limit: number;
  /** The `nextCursor` of the previous page. */
  readonly cursor?: string | undefined;
  /** `document`: of the matches with the same served document, only the first in the order. */
  readonly group?: "document" | undefined;
  /** The number of matches to skip, for callers with numbered pages; not with a cursor. */
  readonly offset?: number | undefined;
}

export interface TokenPage {
  readonly tokenIds: readonly string[];
  /** With a group, for each token, the number of matches that it stands for. */
  readonly counts?: readonly number[] | undefined;
  /** The rarity that an order by rarity went by, by token id. */
  readonly rarity?: ReadonlyMap<string, TokenRarity> | undefined;
  /** Null after the last page. */
  readonly nextCursor: string | null;
  /** The number of matching tokens, or groups of them, on all pages. */
  readonly total: number;
}

export interface TraitFacet {
  readonly trait_type: string;
  readonly display_type: DisplayType;
  /** Matching tokens with the trait. */
  readonly count: number;
  /** For numbers and dates, among matching tokens. */
  readonly min: number | null;
  readonly max: number | null;
  /** The highest number ever shown; null for other types. */
  readonly max_value: number | null;
  /** Most frequent first. */
  readonly values: readonly {
    readonly value: string | number | boolean;
    readonly count: number;
    /** `percentageOf` the collection's listed tokens, whatever the filter. */
    readonly percentage: number;
  }[];
  /** The number of distinct values; it exceeds the list if a trait has very many. */
  readonly values_total: number;
}

/** A trait, and the start of its values. */
export interface ValuePrefix {
  readonly name: string;
  /** Compared ignoring case; the empty one is the start of all. */
  readonly prefix: string;
  /** 1 to 100. */
  readonly limit: number;
}

/** The values of a trait that begin with a text and that listed tokens have. */
export interface CompletedValues {
  /** Null for a trait that the collection has never had. */
  readonly display_type: DisplayType | null;
  /** The number of such values. */
  readonly total: number;
  /** The number of listed tokens. */
  readonly listed: number;
  /** Most frequent first, then in the order of facets. */
  readonly values: TraitFacet["values"];
}

/** How a token can be found by name or id, the best first. */
export const foundBy = ["id", "name", "start", "part"] as const;

export interface NameQuery {
  /** Not empty; compared ignoring case. */
  readonly text: string;
  readonly tokenId?: string | undefined;
  /** 1 to 100. */
  readonly limit: number;
}

export interface FoundToken {
  readonly tokenId: string;
  /** Folded. */
  readonly name: string | null;
  readonly match: (typeof foundBy)[number];
}

export interface Facets {
  /** The number of matching tokens. */
  readonly total: number;
  /** The number of listed tokens of the collection: the base of percentages. */
  readonly listed: number;
  readonly traits: readonly TraitFacet[];
}

/** A trait's facet with its values as columns: thousands of objects would cost more than counting them. */
export interface FacetColumns extends Omit<TraitFacet, "values"> {
  readonly values: readonly TraitFacet["values"][number]["value"][];
  /** One per value. */
  readonly counts: ArrayLike<number>;
}

/** Facets as they are counted and kept. */
export interface CountedFacets extends Omit<Facets, "traits"> {
  readonly traits: readonly FacetColumns[];
}
