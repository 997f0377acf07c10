/** Tokens by name or id, the best first. */

import { type Bits, emptyBits, hasBit } from "../columns/bits.ts";
import { folded, foldedBytes } from "../columns/folded-text.ts";
import type { FoundToken, NameQuery } from "../query.ts";
import type { CollectionIndex } from "./collection-index.ts";
import { countBelow } from "./match.ts";

/**
 * The listed token with the id, then those whose name is the text, begins with it, or contains it; each group by name,
 * ties by id.
 */
export function findNamed(
  index: CollectionIndex,
  { text, tokenId, limit }: NameQuery,
  listed: { readonly slots: Bits },
): FoundToken[] {
  const { ids, names, orders } = index;
  const found = new Map<number, FoundToken["match"]>();
  const isListed = (slot: number): boolean => hasBit(listed.slots, slot);
  const byId = tokenId === undefined ? undefined : index.find(tokenId);
  if (byId !== undefined && isListed(byId)) found.set(byId, "id");
  const ordered = orders.name_asc.settled();
  const bytes = foldedBytes(text);
  const start = folded(text);
  const from = countBelow(ordered, (slot) => names.has(slot) && names.compareBytes(slot, bytes) < 0);
  for (let at = from; at < ordered.length && found.size < limit; at++) {
    const slot = ordered[at] as number;
    const name = names.textOf(slot);
    if (name === null || !name.startsWith(start)) break;
    if (isListed(slot) && !found.has(slot)) found.set(slot, name === start ? "name" : "start");
  }
  if (found.size < limit) {
    const holding = emptyBits(ids.size);
    names.fillHolding(holding, text);
    for (let at = 0; at < ordered.length && found.size < limit; at++) {
      const slot = ordered[at] as number;
      if (hasBit(holding, slot) && isListed(slot) && !found.has(slot)) found.set(slot, "part");
    }
  }
  return [...found].map(([slot, match]) => ({ tokenId: ids.textOf(slot), name: names.textOf(slot), match }));
}
