/** The rarity of a collection's tokens, kept until traits change or tokens come or go. */

import { createYield } from "../async/yield-to-event-loop.ts";
import { areEqualBits, type Bits } from "./columns/bits.ts";
import type { CollectionIndex } from "./index/collection-index.ts";
import { type Rarity, type RarityCounts, rankByRarity } from "./index/rarity.ts";

/** Collections up to this size are ranked at once; larger ones in the background, while searches use the last ranks. */
export const RANKED_AT_ONCE_MAX = 20_000;
// Ranking in the background takes at most a twentieth of the time.
const PAUSE_FACTOR = 20;

export interface RarityCache {
  /**
   * The rarity of the listed tokens: as of now if there are at most `RANKED_AT_ONCE_MAX`, or for the first time; else as
   * of a moment ago, about 21 times as long as ranking takes. Undefined if no token has a trait that counts.
   */
  current(index: CollectionIndex, listed: RarityCounts): Promise<Rarity | undefined>;
  /** The memory it takes. */
  readonly memory: number;
}

/** What the ranks depend on. */
interface Stamp {
  readonly index: WeakRef<CollectionIndex>;
  readonly traitsVersion: number;
  readonly slots: Bits;
}

interface Ranked extends Stamp {
  readonly rarity: Rarity | undefined;
  readonly tookMs: number;
  readonly at: number;
}

export function createRarityCache(): RarityCache {
  let last: Ranked | undefined;
  let ranking: { readonly stamp: Stamp; readonly done: Promise<Ranked> } | undefined;

  async function rank(index: CollectionIndex, listed: RarityCounts, stamp: Stamp): Promise<Ranked> {
    const startedAt = performance.now();
    const rarity = await rankByRarity(index, listed, createYield());
    const at = performance.now();
    last = { ...stamp, rarity, tookMs: at - startedAt, at };
    return last;
  }

  function start(index: CollectionIndex, listed: RarityCounts): Promise<Ranked> {
    const stamp = {
      index: new WeakRef(index),
      traitsVersion: index.traitsVersion,
      slots: listed.slots.slice(),
    };
    const done = rank(index, listed, stamp).finally(() => {
      if (ranking?.done === done) ranking = undefined;
    });
    // Whoever waits for it hears of a failure, and the next one tries again.
    done.catch(() => undefined);
    ranking = { stamp, done };
    return done;
  }

  return {
    async current(index, listed) {
      const isCurrent = (stamp: Stamp): boolean =>
        stamp.index.deref() === index &&
        stamp.traitsVersion === index.traitsVersion &&
        areEqualBits(stamp.slots, listed.slots);
      const known = last?.index.deref() === index ? last : undefined;
      if (known && isCurrent(known)) return known.rarity;
      const isRanking = ranking?.stamp.index.deref() === index;
      if (known && index.ids.size > RANKED_AT_ONCE_MAX) {
        if (!isRanking && performance.now() - known.at > PAUSE_FACTOR * known.tookMs) start(index, listed);
        return known.rarity;
      }
      if (ranking && isRanking && (known === undefined || isCurrent(ranking.stamp)))
        return (await ranking.done).rarity;
      return (await start(index, listed)).rarity;
    },
    get memory() {
      return last?.rarity?.memory ?? 0;
    },
  };
}
