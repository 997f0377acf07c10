/** What a search asks for and what it answers (design: "HTTP and GraphQL", `tokens` and `traits`). */

import type { DisplayType } from "../metadata/document/traits.ts";

/** All conditions hold at once. Values are compared with the value's JSON text, or the string itself. */
export interface TokenFilter {
  /** A token matches a criterion with any of its values; all criteria must match. */
  readonly criteria: readonly { readonly name: string; readonly values: readonly string[] }[];
  /** Number and date traits, both ends included. */
  readonly ranges: readonly {
    readonly name: string;
    readonly from?: number | undefined;
    readonly to?: number | undefined;
  }[];
  /** Found in the name, the description or a trait value, whatever the case. */
  readonly text?: string | undefined;
  /** Found in the name, whatever the case. */
  readonly name?: string | undefined;
  /** Lower-case address. */
  readonly owner?: string | undefined;
  readonly locked?: boolean | undefined;
}

/**
 * `latest` is the newest block first, `updated` what was served last first. What has no name, or not the trait that is
 * sorted by, comes last either way; ties go by token id, ascending.
 */
export type TokenSort =
  | { readonly by: "id" | "name"; readonly descending: boolean }
  | { readonly by: "latest" | "updated" }
  | { readonly by: "trait"; readonly name: string; readonly descending: boolean };

export interface TokenQuery {
  readonly filter: TokenFilter;
  readonly sort: TokenSort;
  /** 1 to 100. */
  readonly limit: number;
  /** Where the page before ended. */
  readonly cursor?: string | undefined;
  /** Matches to leave out, for callers that count pages; not beside a cursor. */
  readonly offset?: number | undefined;
}

export interface TokenPage {
  readonly tokenIds: readonly string[];
  /** Null after the last page. */
  readonly nextCursor: string | null;
  /** How many tokens match, on all pages. */
  readonly total: number;
}

export interface TraitFacet {
  readonly trait_type: string;
  readonly display_type: DisplayType;
  /** Matching tokens that have the trait. */
  readonly count: number;
  /** Of numbers and dates, among matching tokens. */
  readonly min: number | null;
  readonly max: number | null;
  /** The highest number ever shown; null for other types. */
  readonly max_value: number | null;
  /** The most frequent first. */
  readonly values: readonly {
    readonly value: string | number | boolean;
    readonly count: number;
    /** Of all matching tokens, 0 to 100. */
    readonly percentage: number;
  }[];
  /** How many different values there are; more than are listed where a trait has very many. */
  readonly values_total: number;
}

export interface Facets {
  readonly total: number;
  readonly traits: readonly TraitFacet[];
}
