/** How much of what a search found is shown. */

import type { Found } from "../../catalog/across/across.ts";
import { formatCount } from "../../ui/numbers.ts";
import { words } from "../../ui/visitor.ts";

/** The first `limit` of each kind, of one more that were asked for, and whether there are others. */
export interface Shown extends Pick<Found, "collections" | "tokens" | "unsearched"> {
  readonly hasMore: { readonly collections: boolean; readonly tokens: boolean };
}

export const firstOf = ({ collections, tokens, unsearched, isCut }: Found, limit: number): Shown => ({
  collections: collections.slice(0, limit),
  tokens: tokens.slice(0, limit),
  unsearched,
  hasMore: { collections: collections.length > limit, tokens: isCut || tokens.length > limit },
});

export function countOf({ collections, tokens, hasMore }: Shown, wallet: string | undefined): string {
  const counted = (count: number, more: boolean) => ({ count, text: formatCount(count, more) });
  return words().search.count(
    counted(collections.length, hasMore.collections),
    counted(tokens.length, hasMore.tokens),
    wallet !== undefined,
  );
}
