/**
 * Ponder's tables as SQL names, for the reads that join them with ours. Nothing here is written by us but the
 * lock that index-build.ts takes.
 */

import { escapeIdentifier } from "pg";
import type { CollectionConfig } from "../../../config.ts";

export interface ChainTables {
  readonly schema: string;
  readonly tokenState: string;
  readonly tokenRange: string;
  readonly tokenBalance: string;
  readonly tokenTransfer: string;
  readonly collectionState: string;
  readonly lockEvent: string;
  readonly lockDefault: string;
  readonly delegation: string;
  readonly indexAnomaly: string;
  readonly metadataUpdate: string;
  readonly meta: string;
  readonly checkpoint: string;
  /** The collections whose rows are read with `locks: "boolean"`. */
  readonly booleanLocks: readonly Pick<CollectionConfig, "chainId" | "address">[];
}

/** Qualified and quoted names in the schema that Ponder indexes into, and how the rows of the collections are read. */
export function chainTables(schema: string, collections: readonly CollectionConfig[] = []): ChainTables {
  const name = (table: string): string => `${escapeIdentifier(schema)}.${escapeIdentifier(table)}`;
  return {
    schema,
    tokenState: name("token_state"),
    tokenRange: name("token_range"),
    tokenBalance: name("token_balance"),
    tokenTransfer: name("token_transfer"),
    collectionState: name("collection_state"),
    lockEvent: name("lock_event"),
    lockDefault: name("lock_default"),
    delegation: name("delegation"),
    indexAnomaly: name("index_anomaly"),
    metadataUpdate: name("metadata_update"),
    meta: name("_ponder_meta"),
    checkpoint: name("_ponder_checkpoint"),
    booleanLocks: collections.filter(({ locks }) => locks === "boolean"),
  };
}
