/** The search service: pages of tokens, facets and value counts, for any collection. */

import type { CollectionConfig } from "../../config.ts";
import { collectionKey } from "../../domain/token-ref.ts";
import type { ChainTables } from "../chain/index/tables.ts";
import type { Database } from "../db/database.ts";
import type { Logger } from "../http/logger.ts";
import { startPassLoop } from "../jobs/pass-loop.ts";
import type { Trait } from "../metadata/document/traits.ts";
import { type CollectionSearch, createCollectionSearch, type TraitCounts } from "./collection-search.ts";
import type { Facets, TokenFilter, TokenPage, TokenQuery } from "./query.ts";

export type { TraitCounts } from "./collection-search.ts";

// A search index that isn't kept warm is dropped after this long without requests.
const UNUSED_MS = 30 * 60_000;
// How often warm search indexes catch up without requests, so that the next request waits little.
const WARM_MS = 30_000;

/**
 * Results include everything committed before the request. They never include burned tokens. Each process keeps its own
 * search index of a collection in memory, loaded on first use.
 */
export interface Search {
  /** Throws INVALID_REQUEST for a cursor of another order. */
  page(collection: CollectionConfig, query: TokenQuery): Promise<TokenPage>;
  facets(collection: CollectionConfig, filter: TokenFilter): Promise<Facets>;
  /**
   * Facets for a filter panel. A trait with conditions is counted as if it had none, because its values are alternatives: each count shows how many tokens the value would match. All other traits count
   * the current matches, and `total` is their number.
   */
  panel(collection: CollectionConfig, filter: TokenFilter): Promise<Facets>;
  /** `traits` are shown ones, of one or more tokens; omits values that no token has. */
  countTraits(collection: CollectionConfig, traits: readonly Trait[]): Promise<TraitCounts>;
  /** The trait types among these with a shown value on some token, however many types there are. */
  shownTypes(collection: CollectionConfig, names: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface SearchDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly logger: Logger;
}

export interface SearchService extends Search {
  /** Loads these collections one after another and keeps them loaded; logs a failure and retries. */
  keepWarm(collections: readonly CollectionConfig[]): { stop(): void };
}

export function createSearch(deps: SearchDeps): SearchService {
  const { logger } = deps;
  const open = new Map<string, { readonly search: CollectionSearch; usedAt: number }>();
  let warmKeys: ReadonlySet<string> = new Set();

  function dropUnused(): void {
    for (const [name, { usedAt }] of open) {
      if (!warmKeys.has(name) && performance.now() - usedAt > UNUSED_MS) open.delete(name);
    }
  }

  function of({ chainId, address }: CollectionConfig): CollectionSearch {
    const name = collectionKey({ chainId, address });
    const known = open.get(name);
    const search =
      known?.search ?? createCollectionSearch({ ...deps, collection: { chainId, collection: address } });
    open.set(name, { search, usedAt: performance.now() });
    dropUnused();
    return search;
  }

  return {
    page: (collection, query) => of(collection).page(query),
    facets: (collection, filter) => of(collection).facets(filter),
    panel: (collection, filter) => of(collection).panel(filter),
    countTraits: (collection, traits) => of(collection).countTraits(traits),
    shownTypes: (collection, names) => of(collection).shownTypes(names),

    keepWarm(collections) {
      warmKeys = new Set(collections.map(collectionKey));
      const loop = startPassLoop({
        task: "keep search indexes up to date",
        pollMs: WARM_MS,
        logger,
        async pass(signal) {
          for (const collection of collections) {
            if (signal.aborted) break;
            await of(collection)
              .warm()
              .catch((error: Error) => {
                if (signal.aborted) return;
                logger.warn({
                  msg: "Could not bring a search index up to date",
                  chain_id: collection.chainId,
                  collection: collection.address,
                  reason: error.message,
                });
              });
          }
        },
      });
      // Not awaited: a load in progress is abandoned with the process.
      return { stop: () => void loop.stop() };
    },
  };
}
