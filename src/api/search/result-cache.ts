/** The result cache of a collection: matches and counts, valid until the search index or the chain changes. */

import { LRUCache } from "lru-cache";
import { createYield } from "../jobs/yield-to-event-loop.ts";
import { type Bits, countBits } from "./columns/bits.ts";
import { grown } from "./columns/ensure-capacity.ts";
import { countValues, countValuesInSlices } from "./columns/value-counts.ts";
import type { CollectionIndex } from "./index/collection-index.ts";
import { countFacets, countPanel } from "./index/facets.ts";
import { type ChainSlots, listedSlots, type Matches, matchTokens } from "./index/match.ts";
import type { Facets, TokenFilter } from "./query.ts";

// Each may contain several thousand values.
const CACHED_FACETS_MAX = 32;
// A token's own counts wait for several slices, and must not wait for the facets of a million tokens.
const SLICE_MS = 1;

type SlotsIn = (index: CollectionIndex) => ChainSlots;

/** A filter, and the chain state of the search index's tokens. */
export interface Question {
  readonly filter: TokenFilter;
  readonly slotsIn: SlotsIn;
}

/** Counts over all listed tokens. */
export interface Listed {
  /** The number of tokens per value, by value. Newer values are missing; no token has them. */
  readonly counts: Uint32Array<ArrayBuffer>;
  /** The number of listed tokens. */
  readonly total: number;
  readonly slots: Bits;
}

/** How many tokens of a set of matches have each value. */
export interface Counted {
  readonly slots: Bits;
  readonly counts: Uint32Array<ArrayBuffer>;
}

/** Results as of one moment, valid until the next change. */
export interface Answers {
  matches(question: Question): Matches;
  /**
   * Counts the values of the matches in slices, so that facets or a panel with them take a moment. Undefined if nothing
   * needs counting, or if the search index changed meanwhile. Must not run concurrently.
   */
  count(question: Question, kind: "facets" | "panel"): Promise<Counted | undefined>;
  /** Uses `counted` if it is of the same matches. */
  facets(question: Question, counted?: Counted): Facets;
  /** Facets, but each trait with conditions is counted as if it had none. */
  panel(question: Question, counted?: Counted): Facets;
  listed(slotsIn: SlotsIn): Listed;
}

export interface ResultCache {
  /** Discards all results if the search index was replaced or changed, or the checkpoint changed or is null. */
  at(index: CollectionIndex, checkpoint: string | null): Answers;
}

export function createResultCache(): ResultCache {
  let cached: { index: CollectionIndex; stamp: string; answers: Answers } | undefined;
  // Reused: a new one for a million values at every change would burden the garbage collector.
  let pooled = new Uint32Array(0);

  function answersOf(index: CollectionIndex): Answers {
    const cachedFacets = new LRUCache<string, Facets>({ max: CACHED_FACETS_MAX });
    const cachedPanels = new LRUCache<string, Facets>({ max: CACHED_FACETS_MAX });
    /** A page and its facets are requested in succession, with the same filter. */
    let last: { readonly name: string; readonly matches: Matches } | undefined;
    let listed: Listed | undefined;
    let listedTotal: number | undefined;

    const countListed = (slotsIn: SlotsIn): number => {
      listedTotal ??= countBits(listedSlots(index, slotsIn(index)));
      return listedTotal;
    };

    function matches({ filter, slotsIn }: Question): Matches {
      const name = filterKey(filter);
      if (last?.name !== name) last = { name, matches: matchTokens(index, filter, slotsIn(index)) };
      return last.matches;
    }

    const countsOf = (slots: Bits, counted: Counted | undefined) =>
      counted?.slots === slots ? counted.counts : undefined;

    const facets = (question: Question, counted?: Counted): Facets =>
      getOrCount(cachedFacets, question.filter, () => {
        const { slots } = matches(question);
        return countFacets(index, slots, countListed(question.slotsIn), countsOf(slots, counted));
      });

    return {
      matches,
      async count(question, kind) {
        const { filter } = question;
        const isPanel = kind === "panel" && filter.criteria.length + filter.ranges.length > 0;
        if ((isPanel ? cachedPanels : cachedFacets).has(filterKey(filter))) return undefined;
        const { slots } = matches(question);
        const counts = await countValuesInSlices(index, slots, createYield(SLICE_MS));
        return counts && { slots, counts };
      },
      facets,
      panel(question, counted) {
        const { filter } = question;
        if (filter.criteria.length + filter.ranges.length === 0) return facets(question, counted);
        const knownOf = (trait: string) =>
          cachedFacets
            .get(filterKey(withoutTrait(filter, trait)))
            ?.traits.find(({ trait_type }) => trait_type === trait);
        return getOrCount(cachedPanels, filter, () => {
          const matched = matches(question);
          const counts = countsOf(matched.slots, counted);
          return countPanel(index, matched, countListed(question.slotsIn), knownOf, counts);
        });
      },
      listed(slotsIn) {
        if (listed) return listed;
        const slots = listedSlots(index, slotsIn(index));
        const counts = countValues(index, slots);
        pooled = grown(pooled, counts.length);
        pooled.set(counts);
        listed = {
          counts: pooled.subarray(0, counts.length),
          total: countBits(slots),
          slots,
        };
        return listed;
      },
    };
  }

  return {
    at(index, checkpoint) {
      const stamp = `${index.version} ${checkpoint}`;
      const isSame = cached?.index === index && cached.stamp === stamp && checkpoint !== null;
      if (!cached || !isSame) cached = { index, stamp, answers: answersOf(index) };
      return cached.answers;
    },
  };
}

function getOrCount(cached: LRUCache<string, Facets>, filter: TokenFilter, count: () => Facets): Facets {
  const name = filterKey(filter);
  const known = cached.get(name);
  if (known) return known;
  const facets = count();
  cached.set(name, facets);
  return facets;
}

const filterKey = (filter: TokenFilter): string => JSON.stringify(filter);

const withoutTrait = (filter: TokenFilter, trait: string): TokenFilter => ({
  ...filter,
  criteria: filter.criteria.filter(({ name }) => name !== trait),
  ranges: filter.ranges.filter(({ name }) => name !== trait),
});
