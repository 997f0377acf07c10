/** The result cache of a collection: matches and counts, valid until the search index or its chain state changes. */

import { LRUCache } from "lru-cache";
import { runSteps, type Steps } from "../async/yield-to-event-loop.ts";
import type { IsAwaited } from "./awaited.ts";
import { type Bits, countBits } from "./columns/bits.ts";
import { grown } from "./columns/ensure-capacity.ts";
import { countValues } from "./columns/value-counts.ts";
import type { CollectionIndex } from "./index/collection-index.ts";
import { facetSteps, panelSteps } from "./index/facets.ts";
import { type ChainSlots, listedSlots, type Matches, matchTokens } from "./index/match.ts";
import { runWhileSame, SHORT_PAUSES } from "./prepared.ts";
import type { CountedFacets, TokenFilter } from "./query.ts";

// In units of a value and its count, of which an answer has up to 20,000: what is kept of each kind, an answer, each of its
// traits, and a character of its filter.
const CACHED_UNITS_MAX = 640_000;
const UNIT_BYTES = 12;
const ENTRY_UNITS = 100;
const TRAIT_UNITS = 30;
const CHARACTER_UNITS = 1 / 6;

export type FacetsKind = "facets" | "panel";

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
  matches(filter: TokenFilter): Matches;
  /** What is cached of `facets`. */
  knownFacets(filter: TokenFilter, kind: FacetsKind): CountedFacets | undefined;
  /** Facets, or a panel: facets that count each trait with conditions as if it had none. */
  facets(filter: TokenFilter, kind: FacetsKind): CountedFacets;
  /** The same in slices. Undefined if the search index changes meanwhile, or nobody waits for them any more. */
  facetsInSlices(
    filter: TokenFilter,
    kind: FacetsKind,
    isAwaited: IsAwaited,
  ): Promise<CountedFacets | undefined>;
  listed(): Listed;
}

export interface ResultCache {
  /**
   * Answers to filters with this chain state. Discards all results if the search index was replaced or changed, or if
   * other tokens are burned. Sets of slots are compared by identity.
   */
  at(index: CollectionIndex, chain: ChainSlots): Answers;
  /** The memory that the facets take, roughly, in bytes. */
  readonly memory: number;
}

/** What is kept of one state of the search index, by filter and the chain state that the filter asks for. */
interface Kept {
  readonly index: CollectionIndex;
  readonly version: number;
  readonly burned: Bits;
  readonly counted: Readonly<Record<FacetsKind, LRUCache<string, CountedFacets>>>;
  /** A page and its facets are requested in succession, with the same filter. */
  last?: { readonly name: string; readonly matches: Matches };
  listed?: Listed;
  listedTotal?: number;
}

const createCounted = () =>
  new LRUCache<string, CountedFacets>({
    maxSize: CACHED_UNITS_MAX,
    sizeCalculation: ({ traits }, filter) =>
      traits.reduce(
        (sum, { values }) => sum + TRAIT_UNITS + values.length,
        ENTRY_UNITS + Math.ceil(filter.length * CHARACTER_UNITS),
      ),
  });

export function createResultCache(): ResultCache {
  let kept: Kept | undefined;
  // Reused: a new one for a million values at every change would burden the garbage collector.
  let pooled = new Uint32Array(0);
  const numberOf = createNumbers();

  function answersOf(kept: Kept, chain: ChainSlots): Answers {
    const { index, counted } = kept;
    const slots = [chain.locked, chain.unlocked, chain.owned]
      .map((bits) => (bits ? numberOf(bits) : 0))
      .join();
    const keyOf = (filter: TokenFilter): string => `${slots} ${JSON.stringify(filter)}`;

    const countListed = (): number => {
      kept.listedTotal ??= countBits(listedSlots(index, chain));
      return kept.listedTotal;
    };

    function matches(filter: TokenFilter): Matches {
      const name = keyOf(filter);
      const { last } = kept;
      const found = last?.name === name ? last.matches : matchTokens(index, filter, chain);
      kept.last = { name, matches: found };
      return found;
    }

    // Without conditions on traits, a panel is the facets.
    const keptFor = ({ criteria, ranges }: TokenFilter, kind: FacetsKind) =>
      counted[criteria.length + ranges.length === 0 ? "facets" : kind];

    function count(filter: TokenFilter, kind: FacetsKind): Steps<CountedFacets> {
      const matched = matches(filter);
      const listed = countListed();
      if (keptFor(filter, kind) === counted.facets) return facetSteps(index, matched.slots, listed);
      const knownOf = (trait: string) =>
        counted.facets
          .get(keyOf(withoutTrait(filter, trait)))
          ?.traits.find(({ trait_type }) => trait_type === trait);
      return panelSteps(index, matched, listed, knownOf);
    }

    const knownFacets = (filter: TokenFilter, kind: FacetsKind): CountedFacets | undefined =>
      keptFor(filter, kind).get(keyOf(filter));

    function keepFacets(filter: TokenFilter, kind: FacetsKind, facets: CountedFacets): CountedFacets {
      keptFor(filter, kind).set(keyOf(filter), facets);
      return facets;
    }

    return {
      matches,
      knownFacets,
      facets: (filter, kind) =>
        knownFacets(filter, kind) ?? keepFacets(filter, kind, runSteps(count(filter, kind))),
      async facetsInSlices(filter, kind, isAwaited) {
        const known = knownFacets(filter, kind);
        if (known) return known;
        // A visitor waits for a page's panel.
        const options = kind === "panel" ? SHORT_PAUSES : {};
        const facets = await runWhileSame(index, () => count(filter, kind), isAwaited, options);
        return facets && keepFacets(filter, kind, facets);
      },
      listed() {
        if (kept.listed) return kept.listed;
        const slots = listedSlots(index, chain);
        const counts = countValues(index, slots);
        pooled = grown(pooled, counts.length);
        pooled.set(counts);
        kept.listed = {
          counts: pooled.subarray(0, counts.length),
          total: countBits(slots),
          slots,
        };
        return kept.listed;
      },
    };
  }

  return {
    get memory() {
      const { facets, panel } = kept?.counted ?? {};
      return UNIT_BYTES * ((facets?.calculatedSize ?? 0) + (panel?.calculatedSize ?? 0));
    },
    at(index, chain) {
      const { burned } = chain;
      const { version } = index;
      if (kept?.index !== index || kept.version !== version || kept.burned !== burned)
        kept = { index, version, burned, counted: { facets: createCounted(), panel: createCounted() } };
      return answersOf(kept, chain);
    },
  };
}

/** A number for each set of slots, the same for the same set. */
function createNumbers(): (bits: Bits) => number {
  const numbers = new WeakMap<Bits, number>();
  let count = 0;
  return (bits) => {
    const known = numbers.get(bits) ?? ++count;
    numbers.set(bits, known);
    return known;
  };
}

const withoutTrait = (filter: TokenFilter, trait: string): TokenFilter => ({
  ...filter,
  criteria: filter.criteria.filter(({ name }) => name !== trait),
  ranges: filter.ranges.filter(({ name }) => name !== trait),
});
