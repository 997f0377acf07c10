/** Stored and rejected pictures, and the space left for more, for the operator. */

import { cached } from "../../async/promise-cache.ts";
import type { Database } from "../../db/database.ts";
import { readFreeBytes } from "../../free-bytes.ts";
import type { StoreAddress } from "../../store-address.ts";

// The counts read an index of every rejected picture; a busier database is not burdened further.
const REMEMBER_MS = 10_000;
const COUNT_MS = 1_000;

export interface MediaOverview {
  /** Pictures that are stored. */
  readonly pictures: number;
  /** Images that were refused for their content or could not be read, by reason, most first. */
  readonly rejected: readonly { readonly reason: string; readonly images: number }[];
}

export interface MediaState {
  /** Undefined if the database could not count within a second. */
  readonly overview: MediaOverview | undefined;
  /** Of the file system that MEDIA_STORE is on; undefined for a bucket, and for a folder that can't be read. */
  readonly freeBytes: number | undefined;
}

/** Reads at most every ten seconds. Never rejects. */
export function createMediaState(database: Database, store: StoreAddress): () => Promise<MediaState> {
  const { read } = cached(
    async () => {
      const [overview, freeBytes] = await Promise.all([
        readOverview(database).catch(() => undefined),
        store.kind === "folder" ? readFreeBytes(store.folder) : undefined,
      ]);
      return { overview, freeBytes };
    },
    { ttlMs: REMEMBER_MS },
  );
  return read;
}

function readOverview(database: Database): Promise<MediaOverview> {
  return database.transaction(async (tx) => {
    await tx.query(`set local statement_timeout = ${COUNT_MS}`);
    const [stored] = await tx.query<{ pictures: number }>(
      "select count(*)::int as pictures from vitrine.media_file where unused_since is null",
    );
    const rejected = await tx.query<{ reason: string; images: number }>(
      `select coalesce(reason, 'unknown') as reason, count(*)::int as images from vitrine.media
        where kind = 'image' and status = 'rejected' group by 1 order by 2 desc, 1`,
    );
    return { pictures: stored?.pictures ?? 0, rejected };
  });
}
