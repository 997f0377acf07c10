/** What was read of tokens before a transfer told of them: from then on it is counted, and its media are looked at. */

import type { Queryable } from "../../db/database.ts";
import type { MediaService } from "../../media/service.ts";
import type { MetadataService } from "../../metadata/service.ts";

/** Asks for a look at what documents name. */
export type EnqueueMedia = Pick<MediaService, "enqueue">;

export interface SeenDeps {
  readonly metadata: Pick<MetadataService, "learnServedTraits">;
  readonly media: EnqueueMedia;
}

/**
 * In the transaction that made these tokens seen, by collection. Locks what a worker that records fetches locks, in its
 * order: each collection's traits, then media.
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
