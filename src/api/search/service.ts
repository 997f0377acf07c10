/** The search room's door: pages of tokens, facets, and how many tokens carry a value, of any collection. */

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

// What was loaded for nobody in particular goes when nobody asks.
const UNUSED_MS = 30 * 60_000;
// A collection that nobody asks for catches up this often, so that whoever asks at last waits for little.
const WARM_MS = 30_000;

/**
 * Answers hold everything that was committed before they were asked for. Burned tokens are in none. Each process keeps
 * its own index of a collection in memory, loaded when it is asked for first.
 */
export interface Search {
  /** Throws INVALID_REQUEST for a cursor that is not one of this order. */
  page(collection: CollectionConfig, query: TokenQuery): Promise<TokenPage>;
  facets(collection: CollectionConfig, filter: TokenFilter): Promise<Facets>;
  /**
   * Facets as a panel of filters counts them. Values of a trait that there are conditions on are counted, and their
   * percentages are, as if there were none, since they add to each other: beside each stands how many tokens it would
   * bring. All others count what matches now, and `total` is what matches.
   */
  panel(collection: CollectionConfig, filter: TokenFilter): Promise<Facets>;
  /** `traits` are shown ones, of one or of many tokens; values that no token carries are left out. */
  countTraits(collection: CollectionConfig, traits: readonly Trait[]): Promise<TraitCounts>;
  /** Those of these trait types that a token shows a value of, however many types there are. */
  shownTypes(collection: CollectionConfig, names: readonly string[]): Promise<ReadonlySet<string>>;
}

export interface SearchDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly logger: Logger;
}

export interface SearchService extends Search {
  /** Loads these collections, one after another, and keeps them; a failure is logged and tried again. */
  keepWarm(collections: readonly CollectionConfig[]): { stop(): void };
}

export function createSearch(deps: SearchDeps): SearchService {
  const { logger } = deps;
  const open = new Map<string, { readonly search: CollectionSearch; usedAt: number }>();
  let kept: ReadonlySet<string> = new Set();

  function dropUnused(): void {
    for (const [name, { usedAt }] of open) {
      if (!kept.has(name) && performance.now() - usedAt > UNUSED_MS) open.delete(name);
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
      kept = new Set(collections.map(collectionKey));
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
      // Not awaited: a load that goes on is abandoned with the process.
      return { stop: () => void loop.stop() };
    },
  };
}
