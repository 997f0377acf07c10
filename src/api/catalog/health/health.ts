/** The health of a collection: how many of its tokens have which problem, and which tokens they are. */

import { type ContractRef, collectionKey } from "../../../domain/token-ref.ts";
import { createConcurrencyLimit } from "../../async/concurrency.ts";
import { createPromiseCache } from "../../async/promise-cache.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database } from "../../db/database.ts";
import { type DocumentRead, readDocumentRead } from "../contract/contract-store.ts";
import {
  type Affected,
  type After,
  countCauses,
  type HealthCounts,
  type ImageCounts,
  type ImageKind,
  listAffected,
} from "./health-store.ts";

// Counting a million tokens that all have a fault takes seconds.
const COUNTS_TTL_MS = 10_000;
const COLLECTIONS_MAX = 100;
const EXPORT_TOKENS = 5_000;
// Of the connections that everybody shares: a count has five statements, each of which may take long.
const COUNT_CONNECTIONS = 3;

export function createHealth({ database, tables }: { database: Database; tables: ChainTables }) {
  const counts = createPromiseCache<string, HealthCounts>({ max: COLLECTIONS_MAX, ttlMs: COUNTS_TTL_MS });
  const oneOfFew = createConcurrencyLimit(COUNT_CONNECTIONS);
  const count = (collection: ContractRef): Promise<HealthCounts> => {
    // Collections take turns, so that a small one does not wait for all of a large one.
    const party = collectionKey(collection);
    const transaction: Database["transaction"] = (...work) =>
      oneOfFew(() => database.transaction(...work), undefined, party);
    return countCauses({ transaction }, tables, collection);
  };
  const read = (collection: ContractRef): Promise<HealthCounts> =>
    counts.get(collectionKey(collection), () => count(collection));
  async function countImages(collection: ContractRef, code: string): Promise<ImageCounts> {
    const { causes } = await read(collection);
    const countOf = (kind: ImageKind): number =>
      causes.find((each) => each.kind === kind && each.code === code)?.count ?? 0;
    return { image: countOf("image"), stale_image: countOf("stale_image") };
  }

  return {
    /** Counted up to ten seconds ago; callers share a count. */
    read,

    /** The document that the contract names, as of the last read; undefined before the first. */
    readContractDocument: (collection: ContractRef): Promise<DocumentRead | undefined> =>
      readDocumentRead(database, collection),

    /** Counted now: how many tokens have which problem. */
    readIssueCounts: async (chainId: number, address: string) => (await count({ chainId, address })).causes,

    /** Up to `limit` tokens with this cause, after another one. */
    async list(
      collection: ContractRef,
      code: string,
      after: After | undefined,
      limit: number,
    ): Promise<Affected[]> {
      const images = await countImages(collection, code);
      return listAffected(database, tables, collection, code, { after, limit, images });
    },

    /** Every token with this cause, in batches. */
    async *listAll(collection: ContractRef, code: string): AsyncGenerator<readonly Affected[]> {
      const images = await countImages(collection, code);
      let after: After | undefined;
      for (;;) {
        const batch = await listAffected(database, tables, collection, code, {
          after,
          limit: EXPORT_TOKENS,
          images,
        });
        if (batch.length > 0) yield batch;
        if (batch.length < EXPORT_TOKENS) return;
        after = batch.at(-1);
      }
    },
  };
}

export type HealthService = ReturnType<typeof createHealth>;
