/** Burned, locked and owned tokens of a collection, from Ponder's tables, cached until the chain's checkpoint changes. */

import { LRUCache } from "lru-cache";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database } from "../../db/database.ts";
import { cached, createPromiseCache } from "../../jobs/promise-cache.ts";
import type { CollectionRef } from "../../metadata/traits/trait-type-store.ts";
import { type Bits, clearBit, emptyBits, setBit } from "../columns/bits.ts";
import { grown } from "../columns/ensure-capacity.ts";
import type { CollectionIndex } from "../index/collection-index.ts";
import type { ChainSlots } from "../index/match.ts";
import type { TokenFilter } from "../query.ts";
import { type LockedTokens, readBurned, readLocked, readOwned } from "./chain-store.ts";

const CACHED_OWNERS_MAX = 100;

/** Some tokens of a collection, found in any index of it. */
interface TokenSet {
  readonly text: string;
  slotsIn(index: CollectionIndex): Bits;
  /** The set of another text, made of this one, which goes out of use; undefined where the two differ too much. */
  changedTo(text: string): TokenSet | undefined;
}

/** Locked tokens, or all others, whichever the chain's tables tell in few rows. */
interface LockedSet {
  readonly are: LockedTokens["are"];
  readonly set: TokenSet;
}

/** Of the index that was asked about last, as of its first slots. */
interface Found {
  // One that was made anew takes the place of an index that nobody else knows any more.
  readonly index: WeakRef<CollectionIndex>;
  bits: Bits;
  slots: number;
}

// Beyond these, a set is made anew.
const CHANGES_MAX = 10_000;

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
  // The sets of owners, and that of burned tokens.
  const sets = createPromiseCache<string, TokenSet>({ max: CACHED_OWNERS_MAX + 1 });
  const lockedSet = cached(async (): Promise<LockedSet> => {
    const { are, ids } = await readLocked(database, tables, collection);
    return { are, set: toSet(are, ids) };
  });
  /** Across checkpoints: while its ids are the same, the slots of a set need not be found again. */
  const before = new LRUCache<string, TokenSet>({ max: CACHED_OWNERS_MAX + 3 });

  function toSet(name: string, ids: string): TokenSet {
    const last = before.get(name);
    if (last?.text === ids) return last;
    const set = last?.changedTo(ids) ?? createTokenSet(ids);
    before.set(name, set);
    return set;
  }

  const find = (name: string, read: () => Promise<string>): Promise<TokenSet> =>
    sets.get(name, async () => toSet(name, await read()));

  return {
    async read(checkpoint, { owner, locked }) {
      if (checkpoint === null || checkpoint !== known) {
        sets.clear();
        lockedSet.clear();
      }
      known = checkpoint;
      const [isBurned, lockedTokens, isOwned] = await Promise.all([
        find("burned", () => readBurned(database, tables, collection)),
        locked === undefined ? undefined : lockedSet.read(),
        owner === undefined
          ? undefined
          : find(`owner ${owner}`, () => readOwned(database, tables, collection, owner)),
      ]);
      return (index) => ({
        burned: isBurned.slotsIn(index),
        ...(lockedTokens && { [lockedTokens.are]: lockedTokens.set.slotsIn(index) }),
        owned: isOwned?.slotsIn(index),
      });
    },
  };
}

function createTokenSet(text: string, ids = new Set(idsIn(text)), known?: Found): TokenSet {
  let found = known;

  function findIn(index: CollectionIndex): Found {
    const bits = emptyBits(index.ids.size);
    for (const tokenId of ids) {
      const slot = index.find(tokenId);
      if (slot !== undefined) setBit(bits, slot);
    }
    return { index: new WeakRef(index), bits, slots: index.ids.size };
  }

  return {
    text,
    slotsIn(index) {
      found = found?.index.deref() === index ? found : findIn(index);
      const { size } = index.ids;
      found.bits = grown(found.bits, (size + 31) >>> 5);
      for (; found.slots < size; found.slots++) {
        if (ids.has(index.ids.textOf(found.slots))) setBit(found.bits, found.slots);
      }
      return found.bits;
    },
    changedTo(next) {
      const [gone, come] = differences(text, next);
      if (gone.length + come.length > CHANGES_MAX) return undefined;
      for (const tokenId of gone) ids.delete(tokenId);
      for (const tokenId of come) ids.add(tokenId);
      const index = found?.index.deref();
      if (!found || !index) return createTokenSet(next, ids);
      // Whoever has the bits of before goes on with them.
      const bits = found.bits.slice();
      for (const [tokenIds, put] of [
        [gone, clearBit],
        [come, setBit],
      ] as const) {
        for (const tokenId of tokenIds) {
          const slot = index.find(tokenId);
          if (slot !== undefined && slot < found.slots) put(bits, slot);
        }
      }
      return createTokenSet(next, ids, { ...found, bits });
    },
  };
}

const idsIn = (text: string): string[] => (text === "" ? [] : text.split(","));

/** The ids of one text that are not in the other, for two in the same order: what is between their common ends. */
export function differences(before: string, after: string): [gone: string[], come: string[]] {
  // Between commas, each id is whole.
  const [a, b] = [`,${before},`, `,${after},`];
  const start = a.lastIndexOf(",", commonStart(a, b) - 1);
  // The comma that ends the common beginning may begin the common end.
  const same = commonEnd(a, b, Math.min(a.length, b.length) - start);
  const tail = a.length - a.indexOf(",", a.length - same);
  const between = (text: string): string[] =>
    text
      .slice(start + 1, text.length - tail)
      .split(",")
      .filter(Boolean);
  return [between(a), between(b)];
}

/** How many characters both begin with. Each comparison is of native speed, and half as long as the one before. */
function commonStart(a: string, b: string): number {
  let from = 0;
  let to = Math.min(a.length, b.length);
  while (from < to) {
    const middle = (from + to + 1) >>> 1;
    if (a.slice(from, middle) === b.slice(from, middle)) from = middle;
    else to = middle - 1;
  }
  return from;
}

/** How many characters both end with, `most` at most. */
function commonEnd(a: string, b: string, most: number): number {
  let from = 0;
  let to = most;
  while (from < to) {
    const middle = (from + to + 1) >>> 1;
    const [inA, inB] = [a, b].map((text) => text.slice(text.length - middle, text.length - from));
    if (inA === inB) from = middle;
    else to = middle - 1;
  }
  return from;
}
