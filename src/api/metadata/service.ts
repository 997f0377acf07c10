/** The metadata room's door: resolve a token, record what came of it, and read what is served. */

import type { ChainTables } from "../chain/tables.ts";
import type { Queryable } from "../store/database.ts";
import { type FetchEnd, type RecordedOutcome, recordAttempts, recordFetches } from "./record.ts";
import type { Resolve } from "./resolve.ts";
import {
  addKnownTokens,
  findKnown,
  findUntransferred,
  forgetTokens,
  isIndexWhole,
  knownInRange,
  notReadSince,
  readServed,
} from "./store.ts";

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
    findUntransferred: (db: Queryable, chainId: number, collection: string, tokenIds: readonly string[]) =>
      findUntransferred(db, deps.tables, chainId, collection, tokenIds),
    isIndexWhole: (db: Queryable, chainId: number) => isIndexWhole(db, deps.tables, chainId),
    forgetTokens,
    knownInRange,
    notReadSince,
    readServed: (db: Queryable, chainId: number, collection: string, tokenIds: readonly string[]) =>
      readServed(db, chainId, collection, tokenIds, deps.operatorContact),

    /** See `recordFetches`. */
    recordAll: (tx: Queryable, ends: readonly FetchEnd[]): Promise<RecordedOutcome[]> =>
      recordFetches(tx, deps.tables, ends),
    recordAttempts,
  };
}

export type MetadataService = ReturnType<typeof createMetadata>;
