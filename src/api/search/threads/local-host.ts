/** Search indexes in the current thread: inside each search thread, and in tests and tools without threads. */

import { collectionKey } from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database } from "../../db/database.ts";
import type { Logger } from "../../http/logger.ts";
import { type CollectionSearch, createCollectionSearch } from "../collection-search.ts";
import { packFacets } from "./packed-facets.ts";
import type { Answered, Asked, Kind, SearchHost } from "./questions.ts";

export interface LocalHostDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly logger: Logger;
}

type Answers = { readonly [K in Kind]: (search: CollectionSearch, asked: Asked[K]) => Promise<Answered[K]> };

const answers: Answers = {
  page: (search, query) => search.page(query),
  facets: async (search, filter) => packFacets(await search.facets(filter)),
  panel: async (search, filter) => packFacets(await search.panel(filter)),
  countTraits: (search, traits) => search.countTraits(traits),
  shownTypes: (search, names) => search.shownTypes(names),
  warm: async (search) => {
    await search.warm();
    return null;
  },
};

export function createLocalHost(deps: LocalHostDeps): SearchHost {
  const open = new Map<string, CollectionSearch>();

  return {
    async ask({ collection, kind, asked }) {
      const key = collectionKey(collection);
      const search = open.get(key) ?? createCollectionSearch({ ...deps, collection });
      open.set(key, search);
      return answers[kind](search, asked);
    },
    drop: (collection) => void open.delete(collectionKey(collection)),
    async close() {},
  };
}
