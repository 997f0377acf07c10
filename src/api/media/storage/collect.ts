/**
 * The daily media job: records what served documents name, deletes URLs that none has named for a week, and deletes
 * pictures a day after their last use ended, with their variants.
 */

import type { CollectionConfig } from "../../../config.ts";
import type { Database } from "../../db/database.ts";
import { type DailyJob, repeatInBatches } from "../../jobs/daily.ts";
import type { MetadataService } from "../../metadata/service.ts";
import type { MediaService } from "../service.ts";
import { forgottenMedia, markUnusedFiles, removeUnusedFiles } from "./collect-store.ts";
import { type MediaDisk, storageKey } from "./media-disk.ts";

const TOKENS_AT_ONCE = 200;
const FILES_AT_ONCE = 1_000;
// The rows stay locked until their files are deleted.
const FILES_REMOVED_AT_ONCE = 50;

export interface CollectDeps {
  readonly media: MediaService;
  readonly metadata: MetadataService;
  readonly disk: MediaDisk;
  readonly collections: readonly CollectionConfig[];
}

/** URLs are deleted only if the pass over all served documents has completed; one that is stopped begins anew. */
export const collectMedia = ({ media, metadata, disk, collections }: CollectDeps): DailyJob => ({
  name: "collect media",
  async run(database) {
    for (const { chainId, address } of collections) {
      const collection = { chainId, collection: address };
      for await (const ids of metadata.knownPages(database, collection, TOKENS_AT_ONCE)) {
        const served = await metadata.readServed(database, chainId, address, ids);
        await media.noteSeen(
          database,
          [...served.values()].flatMap((each) => (each.isUnseen ? [] : (each.metadata ?? []))),
        );
      }
    }
    const forgotten = await repeatInBatches(database, forgottenMedia);
    return forgotten + (await collectFiles(database, disk)) + (await disk.sweepParts());
  },
});

/** Returns how many files were deleted. */
export async function collectFiles(database: Database, disk: MediaDisk): Promise<number> {
  let after: string | undefined = "";
  while (after !== undefined) after = await markUnusedFiles(database, after, FILES_AT_ONCE);
  let removed = 0;
  for (;;) {
    const batch = await removeUnusedFiles(database, FILES_REMOVED_AT_ONCE, (names) =>
      disk.deleteMany(names.map(storageKey)),
    );
    removed += batch;
    if (batch < FILES_REMOVED_AT_ONCE) return removed;
  }
}
