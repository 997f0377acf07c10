/**
 * Burned, locked and owned tokens of a collection, as Ponder's tables have them. Kept only as long as the chain's
 * checkpoint is the same.
 */

import type { ChainTables } from "../chain/tables.ts";
import type { CollectionRef } from "../metadata/trait-type-store.ts";
import type { Database } from "../store/database.ts";
import { type Bits, emptyBits, setBit } from "./bits.ts";
import { readBurned, readLocked, readOwned } from "./chain-store.ts";
import type { CollectionIndex } from "./collection-index.ts";
import { grown } from "./growable.ts";
import type { ChainSlots } from "./match.ts";
import type { TokenFilter } from "./query.ts";

const OWNERS_KEPT_MAX = 100;

/** Some tokens of a collection, found in any index of it. */
interface TokenSet {
  readonly text: string;
  slotsIn(index: CollectionIndex): Bits;
}

export interface ChainFacts {
  /** What a filter needs, no older than `checkpoint`; null keeps nothing. */
  read(
    checkpoint: string | null,
    filter: Pick<TokenFilter, "owner" | "locked">,
  ): Promise<(index: CollectionIndex) => ChainSlots>;
}

export function createChainFacts(deps: {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly collection: CollectionRef;
}): ChainFacts {
  const { database, tables, collection } = deps;
  let known: string | null = null;
  const sets = new Map<string, Promise<TokenSet>>();
  /** As of any checkpoint: where nothing has changed, its slots need not be found again. */
  const before = new Map<string, TokenSet>();

  async function make(name: string, text: Promise<string>): Promise<TokenSet> {
    const ids = await text;
    const last = before.get(name);
    if (last?.text === ids) return last;
    const set = createTokenSet(ids);
    if (before.size > OWNERS_KEPT_MAX) before.clear();
    before.set(name, set);
    return set;
  }

  function find(name: string, read: () => Promise<string>): Promise<TokenSet> {
    const found = sets.get(name);
    if (found) return found;
    if (sets.size > OWNERS_KEPT_MAX) sets.clear();
    const set = make(name, read());
    sets.set(name, set);
    // The caller hears of it, and the next one tries again.
    set.catch(() => sets.get(name) === set && sets.delete(name));
    return set;
  }

  return {
    async read(checkpoint, { owner, locked }) {
      if (checkpoint === null || checkpoint !== known) sets.clear();
      known = checkpoint;
      const [isBurned, isLocked, isOwned] = await Promise.all([
        find("burned", () => readBurned(database, tables, collection)),
        locked === undefined ? undefined : find("locked", () => readLocked(database, tables, collection)),
        owner === undefined
          ? undefined
          : find(`owner ${owner}`, () => readOwned(database, tables, collection, owner)),
      ]);
      return (index) => ({
        burned: isBurned.slotsIn(index),
        locked: isLocked?.slotsIn(index),
        owned: isOwned?.slotsIn(index),
      });
    },
  };
}

function createTokenSet(text: string): TokenSet {
  const ids: ReadonlySet<string> = new Set(text === "" ? [] : text.split(","));
  // An index that was made anew takes the place of one that nobody else knows any more.
  const found = new WeakMap<CollectionIndex, { bits: Bits; slots: number }>();

  function findIn(index: CollectionIndex): { bits: Bits; slots: number } {
    const bits = emptyBits(index.ids.size);
    for (const tokenId of ids) {
      const slot = index.find(tokenId);
      if (slot !== undefined) setBit(bits, slot);
    }
    return { bits, slots: index.ids.size };
  }

  return {
    text,
    slotsIn(index) {
      const known = found.get(index) ?? findIn(index);
      found.set(index, known);
      const { size } = index.ids;
      known.bits = grown(known.bits, (size + 31) >>> 5);
      for (; known.slots < size; known.slots++) {
        if (ids.has(index.ids.textOf(known.slots))) setBit(known.bits, known.slots);
      }
      return known.bits;
    },
  };
}
