/** The search service: pages of tokens, facets and value counts, for any collection. */

import type { Registry } from "prom-client";
import type { CollectionConfig } from "../../config.ts";
import type { CollectionRef } from "../../domain/token-ref.ts";
import { createConcurrencyLimit } from "../async/concurrency.ts";
import { createYield } from "../async/yield-to-event-loop.ts";
import type { ChainTables } from "../chain/index/tables.ts";
import { createDatabase, type Database, type PoolSizes } from "../db/database.ts";
import { isDatabaseAway, isDatabaseUnavailable } from "../db/database-away.ts";
import { ApiError } from "../http/errors.ts";
import { startPassLoop } from "../jobs/pass-loop.ts";
import type { Logger } from "../logging/logger.ts";
import type { Trait } from "../metadata/document/traits.ts";
import { type Budget, createBudget } from "./budget.ts";
import type { CountsStamp, TraitCounts } from "./collection-search.ts";
import { createFacetsCache } from "./facets-cache.ts";
import type {
  CompletedValues,
  Facets,
  FoundToken,
  NameQuery,
  TokenFilter,
  TokenPage,
  TokenQuery,
  ValuePrefix,
} from "./query.ts";
import type { FacetsKind } from "./result-cache.ts";
import { createDatabaseSearch } from "./sql/database-search.ts";
import { estimateMemory } from "./sync/estimate.ts";
import { answer } from "./threads/answer.ts";
import { createLocalHost } from "./threads/local-host.ts";
import type { Answered, Asked, Kind, Question, SearchHost } from "./threads/questions.ts";
import { NotAsked } from "./threads/thread.ts";
import { createSearchThreads, type ThreadOptions } from "./threads/threads.ts";

export type { TraitCounts } from "./collection-search.ts";
export type { TokenRarity } from "./index/rarity.ts";

// How often warm search indexes catch up without requests, so that the next request waits little.
const WARM_MS = 30_000;
// A search across collections waits for so many that have no search index in memory.
const SLOW_MAX = 4;
// For searches that PostgreSQL answers.
const SLOW_CONNECTIONS: PoolSizes = { plain: 2, keyed: 1 };
// Of the connections that everybody shares; a search across collections may ask for a thousand.
const ESTIMATES_AT_ONCE = 2;

/**
 * Results include everything committed before the request. They never include burned tokens. Each process keeps its own
 * search index of a collection in memory, loaded on first use; PostgreSQL answers for those that don't fit.
 */
export interface Search {
  /** Throws INVALID_REQUEST for a cursor of another order. */
  page(collection: CollectionConfig, query: TokenQuery): Promise<TokenPage>;
  /** The same object as before if nothing has changed and it is still kept. */
  facets(collection: CollectionConfig, filter: TokenFilter): Promise<Facets>;
  /**
   * Facets for a filter panel. A trait with conditions is counted as if it had none, because its values are
   * alternatives: each count shows how many tokens the value would match. All other traits count the current
   * matches, and `total` is their number.
   */
  panel(collection: CollectionConfig, filter: TokenFilter): Promise<Facets>;
  /**
   * `traits` are shown ones, of one or more tokens: if none are given, those that the tokens have in this search. Omits
   * values that no token has. Ranks the tokens.
   */
  countTraits(
    collection: CollectionConfig,
    traits: readonly Trait[] | undefined,
    tokenIds?: readonly string[],
  ): Promise<TraitCounts>;
  /** The current stamp of `countTraits` for whole tokens. */
  countsStamp(collection: CollectionConfig): Promise<CountsStamp>;
  /** The trait types among these with a shown value on some token, however many types there are. */
  shownTypes(collection: CollectionConfig, names: readonly string[]): Promise<ReadonlySet<string>>;
  /**
   * Tokens of these collections by name and id: the best `limit` of each, in the order of the collections. Of those whose
   * search index doesn't fit beside others, PostgreSQL searches a few; the rest is left out, and counted, as are those whose
   * search thread is away.
   */
  findNamed(collections: readonly CollectionConfig[], asked: NameQuery): Promise<FoundTokens>;
  /** The values of a trait that begin with a text, most frequent first. */
  completeValues(collection: CollectionConfig, asked: ValuePrefix): Promise<CompletedValues>;
}

export interface FoundTokens {
  readonly found: readonly (FoundToken & { readonly collection: CollectionConfig })[];
  readonly unsearched: number;
}

export interface SearchDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly logger: Logger;
  /** The memory of all search indexes together, in bytes; unlimited by default. */
  readonly memoryMax?: number;
  /** Where metrics are registered; without it, none are collected. */
  readonly metrics?: Registry;
  /** Without it, search indexes live in this thread. */
  readonly threads?: Pick<ThreadOptions, "connectionString" | "count" | "heapMb">;
}

/** The memory in use and allowed, in bytes, and which collections PostgreSQL answers for. */
export type SearchState = Pick<Budget, "bytes" | "outside"> & { readonly max: number };

export interface SearchService extends Search {
  /** Loads these collections one after another and keeps them loaded; logs a failure and retries. */
  keepWarm(collections: readonly CollectionConfig[]): { stop(): void };
  readonly state: SearchState;
  /** Answers what was asked, then ends the threads. */
  close(): Promise<void>;
}

export function createSearch(deps: SearchDeps): SearchService {
  const { database, tables, logger, threads } = deps;
  const max = deps.memoryMax ?? Number.POSITIVE_INFINITY;
  const budget = createBudget({
    max,
    drop: (collection) => host.drop(collection),
    logger,
    ...(deps.metrics && { metrics: deps.metrics }),
  });
  const onSize = budget.resize;
  const host: SearchHost = threads
    ? createSearchThreads({ ...threads, tables, logger, onSize, onLateFailure: budget.failed })
    : createLocalHost({ database, tables, logger, onSize });
  // Slow searches wait for each other, and for nothing else.
  const slow = threads && createDatabase(threads.connectionString, logger, SLOW_CONNECTIONS);
  const slowDatabase = slow ?? database;

  // Not behind slow searches: a collection that fits would not be loaded while another one is searched slowly.
  const oneOfFew = createConcurrencyLimit(ESTIMATES_AT_ONCE);
  const placeOf = (collection: CollectionRef, by: "asked" | "warm") =>
    budget.place(collection, by, () => oneOfFew(() => estimateMemory(database, collection, max)));

  async function askAt<K extends Kind>(
    place: "memory" | "database",
    { collection, kind, asked }: Question<K>,
  ): Promise<Answered[K]> {
    if (place === "database")
      return answer(createDatabaseSearch({ database: slowDatabase, tables }, collection), kind, asked);
    try {
      return await host.ask({ collection, kind, asked });
    } catch (error) {
      // A thread that is lost or slow to answer has been asked, and may still load it.
      if (!(error instanceof ApiError) || error.cause instanceof NotAsked) budget.failed(collection);
      throw error;
    }
  }

  async function ask<K extends Kind>(
    { chainId, address }: CollectionConfig,
    kind: K,
    asked: Asked[K],
  ): Promise<Answered[K]> {
    const collection = { chainId, collection: address };
    const place = await placeOf(collection, kind === "warm" ? "warm" : "asked");
    return askAt(place, { collection, kind, asked });
  }

  const facetsCache = createFacetsCache();
  const findFacets = (kind: FacetsKind, config: CollectionConfig, filter: TokenFilter): Promise<Facets> =>
    facetsCache.find(kind, { chainId: config.chainId, collection: config.address }, filter, (asked) =>
      ask(config, kind, asked),
    );

  /**
   * Undefined where no answer comes soon: from PostgreSQL, or from a search thread that is being started. `maySearchSlowly`
   * is called for each collection without a search index in memory.
   */
  async function findSoon(
    question: Question<"findNamed">,
    maySearchSlowly: () => boolean,
  ): Promise<readonly FoundToken[] | undefined> {
    try {
      // Drops no other search index.
      const place = await placeOf(question.collection, "warm");
      return place === "memory" || maySearchSlowly() ? await askAt(place, question) : undefined;
    } catch (error) {
      const isBusy = isDatabaseUnavailable(error) && !isDatabaseAway(error);
      if (isBusy || (error instanceof ApiError && error.code === "UNAVAILABLE")) return undefined;
      throw error;
    }
  }

  return {
    page: (collection, query) => ask(collection, "page", query),
    facets: (collection, filter) => findFacets("facets", collection, filter),
    panel: (collection, filter) => findFacets("panel", collection, filter),
    countTraits: (collection, traits, tokenIds = []) => ask(collection, "countTraits", { traits, tokenIds }),
    countsStamp: (collection) => ask(collection, "countsStamp", null),
    completeValues: (collection, asked) => ask(collection, "completeValues", asked),
    async findNamed(collections, asked) {
      let slowOnes = 0;
      const findIn = async (config: CollectionConfig) => {
        const collection = { chainId: config.chainId, collection: config.address };
        const question = { collection, kind: "findNamed" as const, asked };
        const tokens = await findSoon(question, () => ++slowOnes <= SLOW_MAX);
        return tokens?.map((token) => ({ ...token, collection: config }));
      };
      const asking: ReturnType<typeof findIn>[] = [];
      // To ask a thousand collections takes a tenth of a second.
      const yieldToEventLoop = createYield();
      for (const config of collections) {
        await yieldToEventLoop();
        const finding = findIn(config);
        // Awaited below; until then, a failure has an owner.
        finding.catch(() => undefined);
        asking.push(finding);
      }
      const answers = await Promise.all(asking);
      const searched = answers.filter((tokens) => tokens !== undefined);
      return { found: searched.flat(), unsearched: answers.length - searched.length };
    },
    shownTypes: (collection, names) => ask(collection, "shownTypes", names),
    get state() {
      return { bytes: budget.bytes, max, outside: budget.outside };
    },
    async close() {
      await host.close();
      await slow?.close();
    },

    keepWarm(collections) {
      budget.keep(collections.map(({ chainId, address }) => ({ chainId, collection: address })));
      const loop = startPassLoop({
        task: "keep search indexes up to date",
        pollMs: WARM_MS,
        logger,
        async pass(signal) {
          for (const collection of collections) {
            if (signal.aborted) break;
            await ask(collection, "warm", null).catch((error: Error) => {
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
