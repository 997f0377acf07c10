/** The metadata service: resolve a token, record the result, and read what is served. */

import type { CollectionRef, TokenRef } from "../../domain/token-ref.ts";
import { isIndexedElsewhere } from "../chain/index/index-build.ts";
import type { ChainTables } from "../chain/index/tables.ts";
import type { Queryable } from "../db/database.ts";
import { isContentAddressed } from "../fetch/locate.ts";
import {
  addKnownTokens,
  addUnseenTokens,
  findKnown,
  findSeenSince,
  readContract,
} from "./listing/listing-store.ts";
import {
  burnedLatelyInRange,
  knownInRange,
  knownPages,
  listedInRange,
  type TokenRange,
} from "./listing/range-store.ts";
import {
  deleteNeverTransferred,
  findNeverTransferred,
  hideReverted,
  mayKnowUntransferred,
  type RevertedTokens,
} from "./listing/untransferred-store.ts";
import { imageKey, readServedImages } from "./records/image-key-store.ts";
import type { Served } from "./records/learn-fetched.ts";
import { learnServedTraits } from "./records/learn-served.ts";
import { type FetchEnd, type RecordedOutcome, recordAttempts, recordFetches } from "./records/record.ts";
import { lockServed, type ServedVersion } from "./records/record-store.ts";
import {
  chooseSample,
  findServed,
  readSampled,
  readSampleOutcome,
  type SampledCollection,
} from "./records/sample-store.ts";
import { findUntransferred, notReadSince, readServed, readServedBytes } from "./records/store.ts";
import { readUpdates } from "./records/update-store.ts";
import { lockTraits, readTraitNames } from "./traits/trait-type-store.ts";
import { createRememberedValues, lowerHighest } from "./traits/trait-value-store.ts";
import { isUriOfVersion, type Resolve } from "./uri/resolve.ts";

export type { Served } from "./records/learn-fetched.ts";

export interface MetadataDeps {
  readonly resolve: Resolve;
  readonly tables: ChainTables;
  /** Contact for partners, named in issues that only the operator can resolve. */
  readonly operatorContact?: string | undefined;
}

export function createMetadata(deps: MetadataDeps) {
  const { tables } = deps;
  const remembered = createRememberedValues();
  return {
    resolve: deps.resolve,
    findKnown: (db: Queryable, chainId: number, collection: string, tokenIds: readonly string[]) =>
      findKnown(db, tables, chainId, collection, tokenIds),
    addKnownTokens: (
      db: Queryable,
      chainId: number,
      collection: string,
      tokens: ReadonlyMap<string, number>,
    ) => addKnownTokens(db, tables, chainId, collection, tokens),
    findUntransferred: (db: Queryable, chainId: number, collection: string, tokenIds: readonly string[]) =>
      findUntransferred(db, tables, chainId, collection, tokenIds),
    addUnseenTokens: (
      db: Queryable,
      chainId: number,
      collection: string,
      tokens: ReadonlyMap<string, number>,
    ) => addUnseenTokens(db, tables, chainId, collection, tokens),
    hideReverted: (db: Queryable, reverted: RevertedTokens) => hideReverted(db, tables, reverted),
    learnServedTraits,
    knownInRange,
    knownPages,
    listedInRange: (db: Queryable, range: TokenRange, after: string | null, limit: number) =>
      listedInRange(db, tables, range, after, limit),
    burnedLatelyInRange: (db: Queryable, range: TokenRange, after: string | null, limit: number) =>
      burnedLatelyInRange(db, tables, range, after, limit),
    notReadSince,
    readContract: (db: Queryable, chainId: number, collection: string) =>
      readContract(db, tables, chainId, collection),
    /**
     * Whether a chain's index can reliably say that a token has no transfer. Not while another one is running: it may
     * start at an earlier block and know tokens that this one doesn't.
     */
    mayKnowUntransferred: async (db: Queryable, chainId: number): Promise<boolean> =>
      (await mayKnowUntransferred(db, tables, chainId)) &&
      !(await isIndexedElsewhere(db, tables.schema, chainId)),
    findNeverTransferred: (db: Queryable, collection: CollectionRef, tokenIds: readonly string[]) =>
      findNeverTransferred(db, tables, collection, tokenIds),
    findSeenSince: (db: Queryable, collection: CollectionRef, limit: number) =>
      findSeenSince(db, tables, collection, limit),

    /** Deletes the tokens among these without a transfer and returns them. Lowers highest values that only they had. */
    async deleteNeverTransferred(
      tx: Queryable,
      collection: CollectionRef,
      tokenIds: readonly string[],
    ): Promise<string[]> {
      const gone = await deleteNeverTransferred(tx, tables, collection, tokenIds);
      const values = [...new Set(gone.flatMap(({ traits }) => traits))];
      if (values.length > 0) {
        await lockTraits(tx, collection);
        await lowerHighest(tx, values);
      }
      return gone.map(({ tokenId }) => tokenId);
    },
    readServed: (db: Queryable, chainId: number, collection: string, tokenIds: readonly string[]) =>
      readServed(db, chainId, collection, tokenIds, deps.operatorContact),
    readServedBytes,

    readTraitNames,
    readServedImages,
    /** Whether the document names this image; false if that was never noted. */
    hasImage: ({ imageKey: key }: Pick<ServedVersion, "imageKey">, image: string | null): boolean =>
      key === imageKey(image),
    readUpdates,

    /** The served versions of these tokens, whose rows it locks; tokens that nobody knows are missing. */
    lockServed: (tx: Queryable, tokens: readonly TokenRef[]) => lockServed(tx, tables, tokens),
    /** See `recordFetches`. `locked` is the result of `lockServed` for these tokens and maybe others. */
    recordAll: (tx: Queryable, ends: readonly FetchEnd[], locked?: Served): Promise<RecordedOutcome[]> =>
      recordFetches(tx, tables, ends, { locked, remembered }),
    recordAttempts: (tx: Queryable, ends: readonly FetchEnd[]): Promise<void> =>
      recordAttempts(tx, tables, ends),

    /** For sampling: see sample-store.ts. */
    samples: {
      choose: chooseSample,
      findServed,
      read: (
        db: Queryable,
        collection: SampledCollection,
        tokenIds: readonly string[],
        block: number,
      ): ReturnType<typeof readSampled> => readSampled(db, tables, collection, tokenIds, block),
      readOutcome: readSampleOutcome,
      isUriOfVersion,
      isContentAddressed,
    },
  };
}

export type MetadataService = ReturnType<typeof createMetadata>;
