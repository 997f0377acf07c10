/** Learns trait types and values from documents that were just fetched. */

import { collectionKey, type TokenRef, tokenKey } from "../../../domain/token-ref.ts";
import type { Queryable } from "../../db/database.ts";
import type { Trait } from "../document/traits.ts";
import type { DisplayTypes } from "../traits/display-types.ts";
import { displayTypesOf, settleTraitTypes } from "../traits/trait-type-store.ts";
import { internValues, type RememberedValues, type ValueIds } from "../traits/trait-value-store.ts";
import type { Decision, FetchEnd } from "./decide.ts";
import type { ServedVersion } from "./record-store.ts";

/** The version served so far of each token, by `tokenKey`; tokens without one are missing. */
export type Served = ReadonlyMap<string, ServedVersion>;

/** A collection's trait types and values after learning from its documents. */
export interface Learned {
  readonly displayTypes: DisplayTypes;
  readonly idOf: ValueIds;
}

/**
 * Learns from the documents that will be served; returns the result by collection key. Skips tokens without a transfer:
 * anybody could have written their documents.
 */
export async function learnTraits(
  tx: Queryable,
  decided: readonly { readonly end: FetchEnd; readonly decision: Decision }[],
  served: Served,
  remembered: RememberedValues | undefined,
): Promise<ReadonlyMap<string, Learned>> {
  const collections = new Map<string, { token: TokenRef; traits: Trait[] }>();
  for (const { end, decision } of decided) {
    if (decision.kind !== "served" || isUnseen(served, end.token)) continue;
    const name = collectionKey(end.token);
    const collection = collections.get(name) ?? { token: end.token, traits: [] };
    for (const trait of decision.document.metadata.traits) collection.traits.push(trait);
    collections.set(name, collection);
  }
  const learned = new Map<string, Learned>();
  // A global order, so that two batches never deadlock.
  for (const [name, { token, traits }] of [...collections].sort(([a], [b]) => (a < b ? -1 : 1))) {
    const types = await settleTraitTypes(tx, token, traits);
    const idOf = await internValues(tx, types, traits, remembered);
    learned.set(name, { displayTypes: displayTypesOf(types), idOf });
  }
  return learned;
}

/** Whether the token has no transfer yet. */
export const isUnseen = (served: Served, token: TokenRef): boolean =>
  served.get(tokenKey(token))?.isUnseen ?? false;
