/** Search indexes in the current thread: inside each search thread, and in tests and tools without threads. */

import { collectionKey } from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database } from "../../db/database.ts";
import type { Logger } from "../../http/logger.ts";
import { type CollectionSearch, createCollectionSearch } from "../collection-search.ts";
import { packFacets } from "./packed-facets.ts";
import type { Answered, Asked, Kind, OnSize, SearchHost } from "./questions.ts";

export interface LocalHostDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly logger: Logger;
  readonly onSize: OnSize;
}

// A change of less is not worth a message.
const SIZE_SHARE = 0.02;

type Answers = { readonly [K in Kind]: (search: CollectionSearch, asked: Asked[K]) => Promise<Answered[K]> };

const answers: Answers = {
  page: (search, query) => search.page(query),
  facets: async (search, filter) => packFacets(await search.facets(filter)),
  panel: async (search, filter) => packFacets(await search.panel(filter)),
  countTraits: (search, question) => search.countTraits(question),
  completeValues: (search, asked) => search.completeValues(asked),
  findNamed: (search, asked) => search.findNamed(asked),
  shownTypes: (search, names) => search.shownTypes(names),
  warm: async (search) => {
    await search.warm();
    return null;
  },
};

export function createLocalHost(deps: LocalHostDeps): SearchHost {
  const open = new Map<string, { readonly search: CollectionSearch; bytes: number }>();

  return {
    async ask({ collection, kind, asked }) {
      const key = collectionKey(collection);
      const entry = open.get(key) ?? { search: createCollectionSearch({ ...deps, collection }), bytes: 0 };
      open.set(key, entry);
      const answer = await answers[kind](entry.search, asked);
      const { memory } = entry.search;
      // One that was dropped meanwhile takes memory no more.
      if (open.get(key) === entry && Math.abs(memory - entry.bytes) > SIZE_SHARE * entry.bytes) {
        entry.bytes = memory;
        deps.onSize(collection, memory);
      }
      return answer;
    },
    drop: (collection) => void open.delete(collectionKey(collection)),
    async close() {},
  };
}
