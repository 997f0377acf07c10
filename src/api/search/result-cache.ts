/** The result cache of a collection: matches and counts, valid until the search index or the chain changes. */

import { LRUCache } from "lru-cache";
import { createPoliteYield, runSteps, runStepsInSlices, type Steps } from "../jobs/yield-to-event-loop.ts";
import { type Bits, countBits } from "./columns/bits.ts";
import { grown } from "./columns/ensure-capacity.ts";
import { countValues } from "./columns/value-counts.ts";
import type { CollectionIndex } from "./index/collection-index.ts";
import { facetSteps, panelSteps } from "./index/facets.ts";
import { type ChainSlots, listedSlots, type Matches, matchTokens } from "./index/match.ts";
import type { CountedFacets, TokenFilter } from "./query.ts";

// Each may contain several thousand values.
const CACHED_FACETS_MAX = 32;
// A token's own counts wait for several slices, and must not wait for the facets of a million tokens.
const SLICE_MS = 1;

export type FacetsKind = "facets" | "panel";

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

/** Results as of one moment, valid until the next change. */
export interface Answers {
  matches(question: Question): Matches;
  /** What is cached of `facets`. */
  knownFacets(question: Question, kind: FacetsKind): CountedFacets | undefined;
  /** Facets, or a panel: facets that count each trait with conditions as if it had none. */
  facets(question: Question, kind: FacetsKind): CountedFacets;
  /** The same in slices. Undefined if the search index changes meanwhile. */
  facetsInSlices(question: Question, kind: FacetsKind): Promise<CountedFacets | undefined>;
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
    const kept = {
      facets: new LRUCache<string, CountedFacets>({ max: CACHED_FACETS_MAX }),
      panel: new LRUCache<string, CountedFacets>({ max: CACHED_FACETS_MAX }),
    };
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

    // Without conditions on traits, a panel is the facets.
    const keptFor = ({ criteria, ranges }: TokenFilter, kind: FacetsKind) =>
      kept[criteria.length + ranges.length === 0 ? "facets" : kind];

    function count(question: Question, kind: FacetsKind): Steps<CountedFacets> {
      const { filter, slotsIn } = question;
      const matched = matches(question);
      const listed = countListed(slotsIn);
      if (keptFor(filter, kind) === kept.facets) return facetSteps(index, matched.slots, listed);
      const knownOf = (trait: string) =>
        kept.facets
          .get(filterKey(withoutTrait(filter, trait)))
          ?.traits.find(({ trait_type }) => trait_type === trait);
      return panelSteps(index, matched, listed, knownOf);
    }

    const knownFacets = ({ filter }: Question, kind: FacetsKind): CountedFacets | undefined =>
      keptFor(filter, kind).get(filterKey(filter));

    function keepFacets({ filter }: Question, kind: FacetsKind, counted: CountedFacets): CountedFacets {
      keptFor(filter, kind).set(filterKey(filter), counted);
      return counted;
    }

    return {
      matches,
      knownFacets,
      facets: (question, kind) =>
        knownFacets(question, kind) ?? keepFacets(question, kind, runSteps(count(question, kind))),
      async facetsInSlices(question, kind) {
        const known = knownFacets(question, kind);
        if (known) return known;
        const { version, table } = index;
        const { size } = table;
        // Before the tokens are matched, which is part of the first step.
        const politeYield = createPoliteYield(SLICE_MS);
        const steps = count(question, kind);
        // New values come before the tokens that have them.
        const isSame = (): boolean =>
          index.version === version && table.size === size && table.orders.isPrepared;
        const counted = await runStepsInSlices(steps, politeYield, isSame);
        return counted && keepFacets(question, kind, counted);
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

const filterKey = (filter: TokenFilter): string => JSON.stringify(filter);

const withoutTrait = (filter: TokenFilter, trait: string): TokenFilter => ({
  ...filter,
  criteria: filter.criteria.filter(({ name }) => name !== trait),
  ranges: filter.ranges.filter(({ name }) => name !== trait),
});
