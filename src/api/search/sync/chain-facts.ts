/** A collection's burned, locked and owned tokens from Ponder's tables, cached until the chain index changes (index-trust.ts, `indexMark`). */

import { LRUCache } from "lru-cache";
import type { CollectionRef } from "../../../domain/token-ref.ts";
import { cached, createPromiseCache } from "../../async/promise-cache.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database } from "../../db/database.ts";
import { type Bits, clearBit, emptyBits, setBit } from "../columns/bits.ts";
import { grown } from "../columns/ensure-capacity.ts";
import type { CollectionIndex } from "../index/collection-index.ts";
import type { ChainSlots } from "../index/match.ts";
import type { TokenFilter } from "../query.ts";
import { type LockedTokens, readBurned, readHeld, readLocked } from "./chain-store.ts";

const CACHED_OWNERS_MAX = 100;
// A set takes some ten times as many bytes. A wallet may hold most of a million tokens, and a request may name it beside
// any other.
const OWNED_CHARACTERS_MAX = 8_000_000;

/** A set of tokens of a collection, mapped to the slots of a search index. */
interface TokenSet {
  readonly text: string;
  slotsIn(index: CollectionIndex): Bits;
  /** Turns this set, which becomes invalid, into the one for another text. Undefined if they differ too much. */
  changedTo(text: string): TokenSet | undefined;
}

/** Locked tokens, or the unlocked ones, whichever takes fewer rows. */
interface LockedSet {
  readonly are: LockedTokens["are"];
  readonly set: TokenSet;
}

/** The slots in the most recently used search index, as far as mapped. */
interface Found {
  // Weak: a reload replaces a search index that nothing else refers to any more.
  readonly index: WeakRef<CollectionIndex>;
  bits: Bits;
  slots: number;
}

// With more changes than this, a set is rebuilt.
const CHANGES_MAX = 10_000;

/** The conditions on the chain's state. */
export type ChainFilter = Pick<TokenFilter, "owners" | "includeDelegated" | "locked">;

export interface ChainFacts {
  /**
   * The facts a filter needs, no older than `checkpoint`, a mark of the chain index; null disables the cache. Throws UNAVAILABLE where delegations
   * count and the chain index is not current.
   */
  read(checkpoint: string | null, filter: ChainFilter): Promise<(index: CollectionIndex) => ChainSlots>;
}

export function createChainFacts(deps: {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly collection: CollectionRef;
  /** Of the ids of all owners' sets that are kept. */
  readonly ownedCharactersMax?: number;
}): ChainFacts {
  const { database, tables, collection, ownedCharactersMax = OWNED_CHARACTERS_MAX } = deps;
  let known: string | null = null;
  const burnedSet = cached(async () =>
    toSet("burned", ++turns, await readBurned(database, tables, collection)),
  );
  // One set per list of owners.
  const ownedSets = createPromiseCache<string, TokenSet>({ max: CACHED_OWNERS_MAX });
  /** The length of each one's ids, those read last at the end. */
  const ownedLengths = new Map<string, number>();
  const lockedSet = cached(async (): Promise<LockedSet> => {
    const turn = ++turns;
    const { are, ids } = await readLocked(database, tables, collection);
    return { are, set: toSet(are, turn, ids) };
  });
  /** Kept across checkpoints: while a set's ids stay the same, its slots need not be found again. */
  const before = new LRUCache<string, { readonly set: TokenSet; readonly turn: number }>({
    max: CACHED_OWNERS_MAX + 3,
  });
  let turns = 0;

  /** Of a read that ends after a later one, the set is its own: it must not change what that one has found. */
  function toSet(name: string, turn: number, ids: string): TokenSet {
    const last = before.get(name);
    if (last?.set.text === ids) return last.set;
    if (last && turn < last.turn) return createTokenSet(ids);
    const set = last?.set.changedTo(ids) ?? createTokenSet(ids);
    before.set(name, { set, turn });
    return set;
  }

  /** Forgets the sets that were read longest ago; this one is kept, however large. */
  function makeSpaceFor(name: string, length: number): void {
    ownedLengths.delete(name);
    let total = [...ownedLengths.values()].reduce((sum, each) => sum + each, length);
    for (const [oldest, its] of ownedLengths) {
      if (total <= ownedCharactersMax && ownedLengths.size < CACHED_OWNERS_MAX) break;
      ownedLengths.delete(oldest);
      ownedSets.delete(oldest);
      before.delete(oldest);
      total -= its;
    }
    ownedLengths.set(name, length);
  }

  const findOwned = (owners: readonly string[], includeDelegated: boolean): Promise<TokenSet> => {
    const name = `owners ${owners} ${includeDelegated}`;
    return ownedSets.get(name, async () => {
      const turn = ++turns;
      const ids = await readHeld(database, tables, collection, { owners, includeDelegated });
      makeSpaceFor(name, ids.length);
      return toSet(name, turn, ids);
    });
  };

  return {
    async read(checkpoint, { owners, includeDelegated = false, locked }) {
      if (checkpoint === null || checkpoint !== known) {
        burnedSet.clear();
        ownedSets.clear();
        lockedSet.clear();
      }
      known = checkpoint;
      const [isBurned, lockedTokens, isOwned] = await Promise.all([
        burnedSet.read(),
        locked === undefined ? undefined : lockedSet.read(),
        owners === undefined ? undefined : findOwned(owners, includeDelegated),
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
      // A copy: callers may still be using the previous bits.
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

/** The ids in only one of two texts in the same order: whatever lies between their common prefix and suffix. */
export function differences(before: string, after: string): [gone: string[], come: string[]] {
  // Enclosed in commas, so that no id matches a part of another.
  const [a, b] = [`,${before},`, `,${after},`];
  const start = a.lastIndexOf(",", commonStart(a, b) - 1);
  // The last comma of the common prefix may be the first of the common suffix.
  const same = commonEnd(a, b, Math.min(a.length, b.length) - start);
  const tail = a.length - a.indexOf(",", a.length - same);
  const between = (text: string): string[] =>
    text
      .slice(start + 1, text.length - tail)
      .split(",")
      .filter(Boolean);
  return [between(a), between(b)];
}

/** The length of the common prefix. Binary search over native comparisons, each half as long as the last. */
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

/** The length of the common suffix, at most `most`. */
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
