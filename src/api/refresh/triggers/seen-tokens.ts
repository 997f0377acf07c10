/**
 * Lists what was read of tokens before their transfer was indexed: from now on it is counted, and its media are probed.
 */

import type { Queryable } from "../../db/database.ts";
import type { MediaService } from "../../media/service.ts";
import type { MetadataService } from "../../metadata/service.ts";

/** Enqueues probes of the media that documents name. */
export type EnqueueMedia = Pick<MediaService, "enqueue" | "fateOf" | "readFiles">;

export interface SeenDeps {
  readonly metadata: Pick<MetadataService, "learnServedTraits">;
  readonly media: EnqueueMedia;
}

/**
 * Runs in the transaction that listed these tokens, by collection. Locks the same rows as a worker that records
 * fetches, in the same order: each collection's traits, then media.
 */
export async function showServed(
  tx: Queryable,
  { metadata, media }: SeenDeps,
  chainId: number,
  seen: ReadonlyMap<string, readonly string[]>,
): Promise<void> {
  const served = [];
  for (const [collection, tokenIds] of [...seen].sort(([a], [b]) => (a < b ? -1 : 1))) {
    served.push(...(await metadata.learnServedTraits(tx, { chainId, collection }, tokenIds)));
  }
  await media.enqueue(tx, served);
}
