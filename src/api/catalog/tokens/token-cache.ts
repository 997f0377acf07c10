/** Tokens as they were read last, in memory: each part of one says what it is of, and whoever reads it checks that. */

import { LRUCache } from "lru-cache";
import type { MediaUrl } from "../../media/media-store.ts";
import type { ShownMedia } from "../../media/service.ts";
import type { ServedMetadata } from "../../metadata/records/store.ts";
import type { Stamped } from "./counts-cache.ts";
import type { KeptParts } from "./token-parts.ts";
import type { CountedTraits } from "./token-view.ts";

// Characters of JSON; in memory, a token takes about three times as many bytes.
const KEPT_CHARACTERS_MAX = 20_000_000;
/** Beside its document, twice: as it was read, and as it is shown. */
const ENTRY_CHARACTERS = 2_000;
/** From here on, a token is only kept when it is read for the second time. */
const FULL_SHARE = 0.9;
// As many as are kept of small documents. Of each read that was not kept, the name alone.
const READ_ONCE_MAX = 10_000;

export interface Kept {
  /** Of the collection's documents when it was read. */
  readonly generation: number;
  /** Of what is served of the token: changes with it. */
  readonly mark: string;
  readonly served: ServedMetadata;
  /** What the document names, shown or not. */
  readonly media: readonly MediaUrl[];
  /** When the last read that found it current began, by `performance.now()`. */
  checkedAt: number;
  /** Of its document's JSON, as it is served; set once it is kept. */
  characters?: number;
  shown?: { readonly marks: string; readonly media: ShownMedia };
  counts?: CountedTraits & Stamped;
  made?: KeptParts;
}

export interface TokenCache {
  /** Current or not; undefined if the token's place went to later ones. */
  find(collection: string, tokenId: string): Kept | undefined;
  /**
   * In place of what was kept of the token; the ones last asked for longest ago are dropped. With nothing kept of it and
   * little space left, it is kept at the second read: a client that reads every token once would drop all that others
   * ask for again, and what is kept until then outlives V8's young generation, which makes garbage collection expensive.
   */
  keep(collection: string, tokenId: string, entry: Kept): void;
}

/** Bounded by the size of the documents: about 60 MB for `charactersMax` by default. */
export function createTokenCache(charactersMax = KEPT_CHARACTERS_MAX): TokenCache {
  const entries = new LRUCache<string, Kept>({ maxSize: charactersMax });
  const readOnce = new LRUCache<string, true>({ max: READ_ONCE_MAX });
  return {
    find: (collection, tokenId) => entries.get(`${collection} ${tokenId}`),
    keep(collection, tokenId, entry) {
      const name = `${collection} ${tokenId}`;
      const isFull = entries.calculatedSize > FULL_SHARE * charactersMax;
      if (isFull && !entries.has(name) && !readOnce.delete(name)) {
        readOnce.set(name, true);
        return;
      }
      const { metadata: document, issues } = entry.served;
      entry.characters = JSON.stringify([document, issues]).length;
      entries.set(name, entry, { size: ENTRY_CHARACTERS + 2 * entry.characters });
    },
  };
}

/** The marks of the media of each entry, undefined for one that was not asked about. */
export function marksByEntry(
  entries: readonly (Kept | undefined)[],
  text: string,
): (entry: Kept | undefined) => string | undefined {
  const marks = text.split(",");
  const byEntry = new Map<Kept, string>();
  let at = 0;
  for (const entry of entries) {
    if (!entry) continue;
    byEntry.set(entry, marks.slice(at, at + entry.media.length).join());
    at += entry.media.length;
  }
  return (entry) => entry && byEntry.get(entry);
}
