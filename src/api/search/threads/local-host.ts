/** Search indexes in the current thread: inside each search thread, and in tests and tools without threads. */

import { collectionKey } from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database } from "../../db/database.ts";
import type { Logger } from "../../logging/logger.ts";
import { alwaysAwaited, type IsAwaited } from "../awaited.ts";
import { type CollectionSearch, createCollectionSearch } from "../collection-search.ts";
import { answer } from "./answer.ts";
import type { Answered, Kind, OnSize, Question, SearchHost } from "./questions.ts";

export interface LocalHostDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly logger: Logger;
  readonly onSize: OnSize;
}

// A change of less is not worth a message.
const SIZE_SHARE = 0.02;

export interface LocalHost extends SearchHost {
  /** Rejects with `Abandoned` once nobody waits for the answer; the search index is loaded all the same. */
  ask<K extends Kind>(question: Question<K>, isAwaited?: IsAwaited): Promise<Answered[K]>;
}

export function createLocalHost(deps: LocalHostDeps): LocalHost {
  const open = new Map<string, { readonly search: CollectionSearch; bytes: number }>();

  return {
    async ask({ collection, kind, asked }, isAwaited = alwaysAwaited) {
      const key = collectionKey(collection);
      const entry = open.get(key) ?? { search: createCollectionSearch({ ...deps, collection }), bytes: 0 };
      open.set(key, entry);
      try {
        if (kind === "warm") await entry.search.warm();
        return await answer(entry.search.whileAwaited(isAwaited), kind, asked);
      } finally {
        // A question may be refused after its search index was loaded.
        const { memory } = entry.search;
        // One that was dropped meanwhile takes memory no more.
        if (open.get(key) === entry && Math.abs(memory - entry.bytes) > SIZE_SHARE * entry.bytes) {
          entry.bytes = memory;
          deps.onSize(collection, memory);
        }
      }
    },
    drop: (collection) => void open.delete(collectionKey(collection)),
    async close() {},
  };
}
