/**
 * Ponder's tables as SQL names, for reads that join them with ours. We write none of them, except the lock in its row
 * (schema-lock.ts).
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
  readonly collectionHolder: string;
  readonly lockEvent: string;
  readonly lockDefault: string;
  readonly delegation: string;
  readonly indexAnomaly: string;
  readonly metadataUpdate: string;
  readonly meta: string;
  readonly checkpoint: string;
  /** The collections with `locks: "boolean"`. */
  readonly booleanLocks: readonly Pick<CollectionConfig, "chainId" | "address">[];
}

/** Qualified and quoted names in Ponder's schema, and how to read the collections' rows. */
export function chainTables(schema: string, collections: readonly CollectionConfig[] = []): ChainTables {
  const name = (table: string): string => `${escapeIdentifier(schema)}.${escapeIdentifier(table)}`;
  return {
    schema,
    tokenState: name("token_state"),
    tokenRange: name("token_range"),
    tokenBalance: name("token_balance"),
    tokenTransfer: name("token_transfer"),
    collectionState: name("collection_state"),
    collectionHolder: name("collection_holder"),
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
