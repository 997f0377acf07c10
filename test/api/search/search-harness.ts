/** One collection in PostgreSQL, written by the real recorder, searched, and read back for a brute-force scan. */

import { afterAll } from "vitest";
import type { Database } from "../../../src/api/db/database.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import type { DisplayType, Trait } from "../../../src/api/metadata/document/traits.ts";
import { createMetadata } from "../../../src/api/metadata/service.ts";
import type { TokenFilter, TokenQuery } from "../../../src/api/search/query.ts";
import { createSearch } from "../../../src/api/search/service.ts";
import type { CollectionConfig } from "../../../src/config.ts";
import type { TestDatabase } from "../../support/database/database.ts";
import {
  CHAIN_ID,
  COLLECTION,
  createFakeResolve,
  failed,
  found,
  ref,
} from "../../support/refresh/refresh.ts";
import type { Model } from "./model.ts";

export const collection: CollectionConfig = { chainId: CHAIN_ID, address: COLLECTION, startBlock: 0 };
export const ALL: TokenFilter = { criteria: [], ranges: [] };
const BATCH = 100;

interface StoredToken {
  readonly tokenId: string;
  readonly metadata: { name: string | null; description: string | null; traits: readonly Trait[] } | null;
  readonly servedAt: number | null;
  readonly sinceBlock: number | null;
  readonly burned: boolean;
  readonly locked: boolean;
  readonly owner: string;
}

/** Searches through a search thread, as the service does. */
export function createSearchHarness({ database: shared, tables, url }: TestDatabase) {
  const metadata = createMetadata({
    resolve: createFakeResolve(() => failed("timeout")).resolve,
    tables,
  });
  const search = createSearch({
    database: shared,
    tables,
    logger: silentLogger,
    threads: { connectionString: url, count: 1, heapMb: 512 },
  });
  afterAll(() => search.close());

  return {
    metadata,
    search,
    page: (query: TokenQuery) => search.page(collection, query),
    facets: (filter: TokenFilter = ALL) => search.facets(collection, filter),
    panel: (filter: TokenFilter) => search.panel(collection, filter),

    /** Records a document for each token with a transfer, as a worker does. */
    async record(documents: ReadonlyMap<string, object>, database: Database = shared, block = 10) {
      const ends = [...documents].map(([tokenId, document]) => ({
        token: ref(tokenId),
        trigger: "rest",
        resolution: found({ image: "https://img.example/1.png", ...document }, { block }),
      }));
      for (let from = 0; from < ends.length; from += BATCH) {
        await database.transaction(async (tx) => {
          const some = ends.slice(from, from + BATCH);
          await metadata.addKnownTokens(
            tx,
            CHAIN_ID,
            COLLECTION,
            new Map(some.map(({ token }) => [token.tokenId, block])),
          );
          await metadata.recordAll(tx, some);
        });
      }
    },

    /** The served state, from the documents themselves, and the chain state. */
    async readModel(): Promise<Model> {
      const rows = await shared.query<Omit<StoredToken, "metadata"> & { metadata: string | null }>(
        `select t.token_id::text as "tokenId", v.metadata, (extract(epoch from t.served_at) * 1e6)::float8 as "servedAt",
                t.since_block::float8 as "sinceBlock", coalesce(s.burned, false) as burned,
                coalesce(s.lock_count > 0, false) as locked, coalesce(s.owner, '') as owner
           from vitrine.token t left join vitrine.version v on v.id = t.served_version
           left join ${tables.tokenState} s
             on (s.chain_id, s.collection_address, s.token_id) = (t.chain_id, t.collection, t.token_id)
          where t.collection = $1`,
        [COLLECTION],
      );
      const types = await shared.query<{ name: string; displayType: DisplayType; highest: number | null }>(
        `select trait_type as name, display_type as "displayType", highest from vitrine.trait_type where collection = $1`,
        [COLLECTION],
      );
      return {
        tokens: rows.map(({ metadata: text, ...row }) => {
          const served = text === null ? null : (JSON.parse(text) as NonNullable<StoredToken["metadata"]>);
          return {
            ...row,
            name: served?.name ?? null,
            description: served?.description ?? null,
            traits: served?.traits ?? [],
          };
        }),
        types: new Map(types.map(({ name, ...type }) => [name, type])),
      };
    },
  };
}
