/** Facets as they were last answered: while they are the same, a thread names them and sends nothing else. */

import { LRUCache } from "lru-cache";
import { type CollectionRef, collectionKey } from "../../domain/token-ref.ts";
import type { Facets, TokenFilter } from "./query.ts";
import type { FacetsKind } from "./result-cache.ts";
import { unpackFacets } from "./threads/packed-facets.ts";
import type { FacetsAnswer, FacetsQuestion } from "./threads/questions.ts";

// In characters of JSON. In memory, an answer takes about three bytes for each, with the text that is written from it.
const KEPT_CHARACTERS_MAX = 10_000_000;
const ENTRY_CHARACTERS = 500;
const TRAIT_CHARACTERS = 200;
const VALUE_CHARACTERS = 60;

type AskFacets = (asked: FacetsQuestion) => Promise<FacetsAnswer>;

export interface FacetsCache {
  /** The same object as before if the answer is the same. */
  find(kind: FacetsKind, collection: CollectionRef, filter: TokenFilter, ask: AskFacets): Promise<Facets>;
}

export function createFacetsCache(): FacetsCache {
  const kept = new LRUCache<string, { readonly stamp: string; readonly facets: Facets }>({
    maxSize: KEPT_CHARACTERS_MAX,
    sizeCalculation: ({ facets }, key) => key.length + charactersOf(facets),
  });
  return {
    async find(kind, collection, filter, ask) {
      const key = `${kind} ${collectionKey(collection)} ${JSON.stringify(filter)}`;
      const known = kept.get(key);
      const { stamp, packed } = await ask({ filter, known: known?.stamp });
      if (known && !packed) return known.facets;
      if (!packed) throw new Error("facets that are not known came without their values");
      const facets = unpackFacets(packed);
      kept.set(key, { stamp, facets });
      return facets;
    },
  };
}

function charactersOf({ traits }: Facets): number {
  let sum = ENTRY_CHARACTERS;
  for (const { trait_type, values } of traits) {
    sum += TRAIT_CHARACTERS + trait_type.length + VALUE_CHARACTERS * values.length;
    for (const { value } of values) if (typeof value === "string") sum += value.length;
  }
  return sum;
}
