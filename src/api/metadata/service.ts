/** The metadata room's door: resolve a token, record what came of it, and read what is served. */

import type { ChainTables } from "../chain/tables.ts";
import type { Queryable } from "../store/database.ts";
import { type FetchEnd, type RecordedOutcome, recordAttempts, recordFetches } from "./record.ts";
import { isUriOfVersion, type Resolve } from "./resolve.ts";
import {
  chooseSample,
  findServed,
  readSampled,
  readSampleOutcome,
  type SampledCollection,
} from "./sample-store.ts";
import { addKnownTokens, findKnown, knownInRange, notReadSince, readServed } from "./store.ts";
import { isContentAddressed } from "./token-uri.ts";

export interface MetadataDeps {
  readonly resolve: Resolve;
  readonly tables: ChainTables;
  /** Who partners turn to, named by issues that only the operator can settle. */
  readonly operatorContact?: string | undefined;
}

export function createMetadata(deps: MetadataDeps) {
  return {
    resolve: deps.resolve,
    findKnown: (db: Queryable, chainId: number, collection: string, tokenIds: readonly string[]) =>
      findKnown(db, deps.tables, chainId, collection, tokenIds),
    addKnownTokens,
    knownInRange,
    notReadSince,
    readServed: (db: Queryable, chainId: number, collection: string, tokenIds: readonly string[]) =>
      readServed(db, chainId, collection, tokenIds, deps.operatorContact),

    /** See `recordFetches`. */
    recordAll: (tx: Queryable, ends: readonly FetchEnd[]): Promise<RecordedOutcome[]> =>
      recordFetches(tx, deps.tables, ends),
    recordAttempts,

    /** What sampling needs: see sample-store.ts. */
    samples: {
      choose: chooseSample,
      findServed,
      read: (
        db: Queryable,
        collection: SampledCollection,
        tokenIds: readonly string[],
        block: number,
      ): ReturnType<typeof readSampled> => readSampled(db, deps.tables, collection, tokenIds, block),
      readOutcome: readSampleOutcome,
      isUriOfVersion,
      isContentAddressed,
    },
  };
}

export type MetadataService = ReturnType<typeof createMetadata>;
