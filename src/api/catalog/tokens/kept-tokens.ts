/** Tokens as they were read last, in memory: each part of one says what it is of, and whoever reads it checks that. */

import { LRUCache } from "lru-cache";
import type { MediaUrl } from "../../media/media-store.ts";
import type { ShownMedia } from "../../media/service.ts";
import type { Trait } from "../../metadata/document/traits.ts";
import type { ServedMetadata } from "../../metadata/records/store.ts";
import { groupTraits, type SubmittedGroup, type TraitGroup } from "../information/trait-groups.ts";
import type { Stamped } from "./kept-counts.ts";
import type { KeptParts } from "./token-parts.ts";
import type { CountedTraits } from "./token-view.ts";

// Characters of JSON; in memory, a token takes about three times as many bytes.
const KEPT_CHARACTERS_MAX = 20_000_000;
/** Beside its document, twice: as it was read, and as it is shown. */
const ENTRY_CHARACTERS = 2_000;

export interface Kept {
  /** Of the collection's documents when it was read. */
  readonly generation: number;
  /** Of what is served of the token: changes with it. */
  readonly mark: string;
  readonly served: ServedMetadata;
  /** What the document names, shown or not. */
  readonly media: readonly MediaUrl[];
  groups?: { readonly of: readonly SubmittedGroup[]; readonly traits: readonly TraitGroup[] };
  shown?: { readonly marks: string; readonly media: ShownMedia };
  counts?: CountedTraits & Stamped;
  made?: KeptParts;
}

export interface KeptTokens {
  /** Current or not; undefined if the token's place went to later ones. */
  find(collection: string, tokenId: string): Kept | undefined;
  /** In place of what was kept of the token; the ones last asked for longest ago are dropped. */
  keep(collection: string, tokenId: string, entry: Kept): void;
}

/** Bounded by the size of the documents: about 60 MB. */
export function createKeptTokens(): KeptTokens {
  const entries = new LRUCache<string, Kept>({ maxSize: KEPT_CHARACTERS_MAX });
  return {
    find: (collection, tokenId) => entries.get(`${collection} ${tokenId}`),
    keep(collection, tokenId, entry) {
      const { metadata: document, issues } = entry.served;
      const size = ENTRY_CHARACTERS + 2 * JSON.stringify([document, issues]).length;
      entries.set(`${collection} ${tokenId}`, entry, { size });
    },
  };
}

/** The categories of a token's traits: they are sorted, which takes longer than the rest of a kept token. */
export function groupOnce(
  entry: Kept | undefined,
  traits: readonly Trait[],
  of: readonly SubmittedGroup[],
): readonly TraitGroup[] {
  if (entry?.groups?.of === of && entry.served.metadata?.traits === traits) return entry.groups.traits;
  const grouped = groupTraits(traits, of);
  if (entry && entry.served.metadata?.traits === traits) entry.groups = { of, traits: grouped };
  return grouped;
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
