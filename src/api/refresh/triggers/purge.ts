/**
 * Deletes tokens without an indexed transfer: anonymous callers had them read before contracts were asked whether a
 * token exists, or their mint never came.
 */

import type { CollectionRef, ContractRef } from "../../../domain/token-ref.ts";
import type { Database } from "../../db/database.ts";
import type { DailyJob } from "../../jobs/daily.ts";
import type { MetadataService } from "../../metadata/service.ts";
import { dropQueued, lockQueued } from "../queue/queue-purge.ts";
import { type EnqueueMedia, showServed } from "./seen-tokens.ts";

const TOKENS_AT_ONCE = 2_000;

export interface PurgeDeps {
  readonly metadata: MetadataService;
  readonly media: EnqueueMedia;
  readonly collections: readonly ContractRef[];
}

/**
 * One job per chain, since each waits for its own index. While that is being built, or is behind its recorded head,
 * nothing is deleted and the job stays due. A row that was hidden although this index has its transfer is shown again.
 */
export function purgeNeverTransferred(deps: PurgeDeps): DailyJob[] {
  const { metadata, collections } = deps;
  return [...new Set(collections.map(({ chainId }) => chainId))].map((chainId) => ({
    name: `delete tokens without an indexed transfer on chain ${chainId}`,
    async run(database) {
      if (!(await metadata.mayKnowUntransferred(database, chainId))) return undefined;
      let total = 0;
      for (const { chainId: at, address } of collections) {
        if (at !== chainId) continue;
        const collection = { chainId, collection: address };
        await showSeen(database, deps, collection);
        total += await forgetIn(database, metadata, collection);
      }
      return total;
    },
  }));
}

async function showSeen(database: Database, deps: PurgeDeps, collection: CollectionRef): Promise<void> {
  const { metadata } = deps;
  for (let more = true; more; ) {
    more = await database.transaction(async (tx) => {
      const seen = await metadata.findSeenSince(tx, collection, TOKENS_AT_ONCE);
      if (seen.size === 0) return false;
      const read = await metadata.addKnownTokens(tx, collection.chainId, collection.collection, seen);
      await showServed(tx, deps, collection.chainId, new Map([[collection.collection, read]]));
      return seen.size === TOKENS_AT_ONCE;
    });
  }
}

async function forgetIn(
  database: Database,
  metadata: MetadataService,
  collection: CollectionRef,
): Promise<number> {
  let total = 0;
  for await (const known of metadata.knownPages(database, collection, TOKENS_AT_ONCE)) {
    const gone = await metadata.findNeverTransferred(database, collection, known);
    if (gone.length > 0) total += await forgetThese(database, metadata, collection, gone);
  }
  return total;
}

/** Includes what waits for them. A fetch in progress loses its lease, and stores nothing. */
function forgetThese(
  database: Database,
  metadata: MetadataService,
  collection: CollectionRef,
  tokenIds: readonly string[],
): Promise<number> {
  return database.transaction(async (tx) => {
    // Queue rows first, in the order of a worker that records a fetch.
    await lockQueued(tx, collection, tokenIds);
    const gone = await metadata.deleteNeverTransferred(tx, collection, tokenIds);
    await dropQueued(tx, collection, gone);
    return gone.length;
  });
}
