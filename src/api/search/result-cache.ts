/** The result cache of a collection: matches and counts, valid until the index or the chain changes. */

import { LRUCache } from "lru-cache";
import { countBits } from "./columns/bits.ts";
import { grown } from "./columns/ensure-capacity.ts";
import { countValues } from "./columns/value-counts.ts";
import type { CollectionIndex } from "./index/collection-index.ts";
import { countFacets, countPanel } from "./index/facets.ts";
import { type ChainSlots, listedSlots, type Matches, matchTokens } from "./index/match.ts";
import type { Facets, TokenFilter } from "./query.ts";

// Each may hold some thousand values.
const CACHED_FACETS_MAX = 32;

type SlotsIn = (index: CollectionIndex) => ChainSlots;

/** What is asked of an index, and what the chain says of its tokens. */
export interface Question {
  readonly filter: TokenFilter;
  readonly slotsIn: SlotsIn;
}

/** Of all tokens that are listed. */
export interface Listed {
  /** How many hold each value, by value. Values that have come since are missing, and held by none. */
  readonly held: Uint32Array<ArrayBuffer>;
  /** How many there are. */
  readonly total: number;
}

/** Of one moment, and valid for as long. */
export interface Answers {
  matches(question: Question): Matches;
  facets(question: Question): Facets;
  /** Facets, but each trait that there are conditions on is counted as if there were none on it. */
  panel(question: Question): Facets;
  listed(slotsIn: SlotsIn): Listed;
}

export interface ResultCache {
  /** Forgets all where the index is another one, has changed, or where the chain's checkpoint has moved or is null. */
  at(index: CollectionIndex, checkpoint: string | null): Answers;
}

export function createResultCache(): ResultCache {
  let kept: { index: CollectionIndex; stamp: string; answers: Answers } | undefined;
  // Used again, since a new one for a million values at every change would keep the garbage collector busy.
  let held = new Uint32Array(0);

  function answersOf(index: CollectionIndex): Answers {
    const cachedFacets = new LRUCache<string, Facets>({ max: CACHED_FACETS_MAX });
    const cachedPanels = new LRUCache<string, Facets>({ max: CACHED_FACETS_MAX });
    /** A page and what is counted beside it are asked for one after the other, with one filter. */
    let last: { readonly name: string; readonly matches: Matches } | undefined;
    let listed: Listed | undefined;

    function matches({ filter, slotsIn }: Question): Matches {
      const name = filterKey(filter);
      if (last?.name !== name) last = { name, matches: matchTokens(index, filter, slotsIn(index)) };
      return last.matches;
    }

    const facets = (question: Question): Facets =>
      keep(cachedFacets, question.filter, () => countFacets(index, matches(question).slots));

    return {
      matches,
      facets,
      panel(question) {
        const { filter } = question;
        if (filter.criteria.length + filter.ranges.length === 0) return facets(question);
        const knownOf = (trait: string) =>
          cachedFacets
            .get(filterKey(withoutTrait(filter, trait)))
            ?.traits.find(({ trait_type }) => trait_type === trait);
        return keep(cachedPanels, filter, () => countPanel(index, matches(question), knownOf));
      },
      listed(slotsIn) {
        if (listed) return listed;
        const slots = listedSlots(index, slotsIn(index));
        const counts = countValues(index, slots);
        held = grown(held, counts.length);
        held.set(counts);
        listed = {
          held: held.subarray(0, counts.length),
          total: countBits(slots),
        };
        return listed;
      },
    };
  }

  return {
    at(index, checkpoint) {
      const stamp = `${index.version} ${checkpoint}`;
      const isSame = kept?.index === index && kept.stamp === stamp && checkpoint !== null;
      if (!kept || !isSame) kept = { index, stamp, answers: answersOf(index) };
      return kept.answers;
    },
  };
}

function keep(kept: LRUCache<string, Facets>, filter: TokenFilter, count: () => Facets): Facets {
  const name = filterKey(filter);
  const known = kept.get(name);
  if (known) return known;
  const facets = count();
  kept.set(name, facets);
  return facets;
}

const filterKey = (filter: TokenFilter): string => JSON.stringify(filter);

const withoutTrait = (filter: TokenFilter, trait: string): TokenFilter => ({
  ...filter,
  criteria: filter.criteria.filter(({ name }) => name !== trait),
  ranges: filter.ranges.filter(({ name }) => name !== trait),
});
