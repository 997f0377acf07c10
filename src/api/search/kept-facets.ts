/** Facets as they were last answered: while they are the same, a thread names them and sends nothing else. */

import { LRUCache } from "lru-cache";
import { collectionKey } from "../../domain/token-ref.ts";
import type { CollectionRef } from "../metadata/traits/trait-type-store.ts";
import type { Facets, TokenFilter } from "./query.ts";
import type { FacetsKind } from "./result-cache.ts";
import { unpackFacets } from "./threads/packed-facets.ts";
import type { FacetsAnswer, FacetsQuestion } from "./threads/questions.ts";

// A value takes about 200 bytes, with the text of the answer that is written from it.
const KEPT_VALUES_MAX = 100_000;
const ENTRY_VALUES = 20;

type AskFacets = (asked: FacetsQuestion) => Promise<FacetsAnswer>;

export interface KeptFacets {
  /** The same object as before if the answer is the same. */
  find(kind: FacetsKind, collection: CollectionRef, filter: TokenFilter, ask: AskFacets): Promise<Facets>;
}

export function createKeptFacets(): KeptFacets {
  const kept = new LRUCache<string, { readonly stamp: string; readonly facets: Facets }>({
    maxSize: KEPT_VALUES_MAX,
    sizeCalculation: ({ facets }) =>
      facets.traits.reduce((sum, { values }) => sum + values.length, ENTRY_VALUES),
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
