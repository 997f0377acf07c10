/**
 * Reads tokens for answers. What rarely changes, such as a token's document and its counts, is kept in memory; the
 * statement that reads a token's locks finds out whether it is still current.
 */

import type { CollectionConfig } from "../../../config.ts";
import { collectionKey } from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Database } from "../../db/database.ts";
import type { Allowlist } from "../../media/display/allowlist.ts";
import type { MediaFields } from "../../media/display/display.ts";
import type { MediaService, ShownMedia } from "../../media/service.ts";
import type { Trait } from "../../metadata/document/traits.ts";
import type { ServedMetadata } from "../../metadata/records/store.ts";
import type { MetadataService } from "../../metadata/service.ts";
import type { Search } from "../../search/service.ts";
import type { TradingService } from "../../trading/service.ts";
import type { InformationService } from "../information/information.ts";
import { createTraitGrouping, type SubmittedGroup } from "../information/trait-groups.ts";
import { type Counted, type CountsCache, createCountsCache } from "./counts-cache.ts";
import { createDocumentSizes } from "./document-sizes.ts";
import { type CollectionChanges, readStates, type TokenNow } from "./state-store.ts";
import { createTokenCache, type Kept, marksByEntry } from "./token-cache.ts";
import { type KeptParts, makeOnce, noMedia, withoutHead } from "./token-parts.ts";
import { type CountedTraits, countIfComplete } from "./token-view.ts";

export interface TokenReaderDeps {
  readonly database: Database;
  readonly tables: ChainTables;
  readonly metadata: Pick<MetadataService, "readServed" | "readServedBytes">;
  readonly trading: TradingService;
  readonly allowlist: Allowlist;
  readonly media: MediaService;
  readonly search: Pick<Search, "countTraits" | "countsStamp">;
  readonly information: Pick<InformationService, "readAll">;
  /** Contact for issues that only the operator can resolve. */
  readonly operatorContact?: string | undefined;
}

/** A token and the counts of its traits, if all of them were counted. */
export interface ReadToken {
  readonly tokenId: string;
  readonly traits: readonly Trait[];
  /** The same for a kept token as long as all that it is made of stays the same. */
  readonly made: KeptParts;
  readonly isKept: boolean;
  readonly counted: CountedTraits | undefined;
}

/** After a longer pause, everything counts as changed: finding what did could take longer. */
const SNAPSHOT_MAX_AGE_MS = 60_000;

/** What is known of a collection. */
interface Known {
  changes: CollectionChanges | undefined;
  readAt: number;
  /** Of its tokens' documents, as far as they are shown: those of another generation are worthless. */
  generation: number;
  /** Something had changed at the last read. */
  isBusy: boolean;
  readonly counts: CountsCache;
  /** The mark is undefined before the first read. */
  groups: { readonly mark: string | null | undefined; readonly groups: readonly SubmittedGroup[] };
}

export function createTokenReader(deps: TokenReaderDeps) {
  const { database, tables, metadata, trading, allowlist, media, search, information, operatorContact } =
    deps;
  const collections = new Map<string, Known>();
  const kept = createTokenCache();
  const groupTraits = createTraitGrouping();

  function knownOf(name: string, collection: CollectionConfig): Known {
    const known = collections.get(name) ?? {
      changes: undefined,
      readAt: 0,
      generation: 0,
      isBusy: false,
      counts: createCountsCache(search, collection),
      groups: { mark: undefined, groups: [] },
    };
    collections.set(name, known);
    return known;
  }

  async function readGroups(
    known: Known,
    collection: CollectionConfig,
    mark: string | null,
  ): Promise<readonly SubmittedGroup[]> {
    if (known.groups.mark === mark) return known.groups.groups;
    const [stored] = await information.readAll([collection]);
    const groups = stored?.trait_groups ?? [];
    known.groups = { mark, groups };
    return groups;
  }

  /** The tokens' documents by id: those kept, and those read now, which are kept. */
  async function readServed(
    { chainId, address }: CollectionConfig,
    known: Known,
    tokens: ReadonlyMap<string, TokenNow>,
    startedAt: number,
  ): Promise<ReadonlyMap<string, ServedMetadata>> {
    const name = collectionKey({ chainId, address });
    const { generation } = known;
    const served = new Map<string, ServedMetadata>();
    const left: string[] = [];
    for (const [tokenId, { mark }] of tokens) {
      if (mark === null) continue;
      const entry = kept.find(name, tokenId);
      if (entry?.mark === mark && entry.generation === generation) {
        entry.checkedAt = Math.max(entry.checkedAt, startedAt);
        served.set(tokenId, entry.served);
      } else left.push(tokenId);
    }
    if (left.length === 0) return served;
    for (const [tokenId, read] of await metadata.readServed(database, chainId, address, left)) {
      served.set(tokenId, read);
      // It may be newer than the mark, which the next read will then find changed.
      const mark = tokens.get(tokenId)?.mark;
      const named = media.namedBy(read.metadata ?? noMedia);
      if (mark)
        kept.keep(name, tokenId, { generation, mark, served: read, media: named, checkedAt: startedAt });
    }
    return served;
  }

  /** The media of each token's document: what is kept, if its marks are the same, and what is read now. */
  async function readMedia(
    name: string,
    documents: ReadonlyMap<string, MediaFields>,
    marksOf: (entry: Kept | undefined) => string | undefined,
  ): Promise<ReadonlyMap<string, ShownMedia>> {
    const shown = new Map<string, ShownMedia>();
    const left: [string, MediaFields][] = [];
    for (const [tokenId, document] of documents) {
      const entry = kept.find(name, tokenId);
      const isOfDocument = entry && (entry.served.metadata ?? noMedia) === document;
      if (isOfDocument && entry.shown && entry.shown.marks === marksOf(entry))
        shown.set(tokenId, entry.shown.media);
      else left.push([tokenId, document]);
    }
    const read = left.length > 0 ? await media.readAll(left.map(([, document]) => document)) : [];
    for (const [nth, [tokenId, document]] of left.entries()) {
      const found = read[nth];
      if (!found) continue;
      shown.set(tokenId, found);
      // It may be newer than the marks, which the next read will then find changed.
      const entry = kept.find(name, tokenId);
      const marks = marksOf(entry);
      if (entry && (entry.served.metadata ?? noMedia) === document && marks !== undefined)
        entry.shown = { marks, media: found };
    }
    return shown;
  }

  /** The counts of each token whose traits are all counted: those just asked for, which are kept, or those kept. */
  function countEach(
    { counts }: Known,
    name: string,
    served: ReadonlyMap<string, ServedMetadata>,
    counted: Counted | undefined,
  ): ReadonlyMap<string, CountedTraits> {
    const found = new Map<string, CountedTraits>();
    for (const [tokenId, { metadata: document }] of served) {
      const latest = kept.find(name, tokenId);
      // Another read may have kept a newer document meanwhile.
      const entry = latest?.served.metadata === document ? latest : undefined;
      if (!counted) {
        if (entry?.counts && counts.holds(entry.counts)) found.set(tokenId, entry.counts);
        continue;
      }
      const own = countIfComplete(tokenId, document?.traits ?? [], counted.distribution);
      if (!own) continue;
      // Its own alone: those of a batch would take many times the memory.
      const stamped = { ...own, stamp: counted.stamp };
      found.set(tokenId, stamped);
      if (entry) entry.counts = stamped;
    }
    return found;
  }

  return {
    countFitting: createDocumentSizes({ database, metadata, kept }),

    /**
     * The tokens among these with a transfer, in the order of the ids, which are distinct and not empty. The number of
     * statements doesn't depend on the number of tokens.
     */
    async readTokens(
      collection: CollectionConfig,
      tokenIds: readonly string[],
    ): Promise<readonly ReadToken[]> {
      const { chainId, address } = collection;
      const name = collectionKey(collection);
      const known = knownOf(name, collection);
      const startedAt = performance.now();
      const since = startedAt - known.readAt < SNAPSHOT_MAX_AGE_MS ? known.changes?.snapshot : undefined;
      const expected = tokenIds.map((tokenId) => kept.find(name, tokenId));
      async function countUnlessKept(checkpoint: string | null): Promise<Counted | undefined> {
        const { counts } = known;
        if (checkpoint !== null && expected.every((entry) => entry?.counts)) {
          await counts.confirm(checkpoint);
          if (expected.every((entry) => counts.holds(entry?.counts))) return undefined;
        }
        return counts.count(tokenIds, checkpoint);
      }
      const { maxAgeSeconds } = trading;
      const named = expected.flatMap((entry) => entry?.media ?? []);
      const [now, isAllowed, countedBefore] = await Promise.all([
        readStates(database, tables, {
          chainId,
          collection: address,
          tokenIds,
          maxAgeSeconds,
          since,
          media: named,
        }),
        allowlist.forCollection(chainId, address),
        // Where counts change all the time, nobody waits to learn that they did.
        known.isBusy ? known.counts.count(tokenIds, null) : undefined,
      ]);
      settle(known, now.changes);

      const states = [...now.tokens].flatMap(([tokenId, { chain }]) =>
        chain ? [[tokenId, chain] as const] : [],
      );
      const [onChain, served, groups, counted] = await Promise.all([
        trading.completeTokens(chainId, address, new Map(states)),
        readServed(collection, known, now.tokens, startedAt),
        readGroups(known, collection, now.changes.informationMark),
        countedBefore ?? countUnlessKept(now.changes.checkpoint),
      ]);
      const counts = countEach(known, name, served, counted);
      const seen = tokenIds.filter((tokenId) => {
        const isSeen = served.get(tokenId)?.isUnseen === false;
        // A chain index still being built may lack a token that was seen before.
        return isSeen || (onChain.get(tokenId)?.standard ?? null) !== null;
      });
      const documentOf = (tokenId: string): MediaFields => served.get(tokenId)?.metadata ?? noMedia;
      const documents = new Map(seen.map((tokenId) => [tokenId, documentOf(tokenId)]));
      const shown = await readMedia(name, documents, marksByEntry(expected, now.changes.mediaMarks));
      return seen.flatMap((tokenId): ReadToken[] => {
        const found = shown.get(tokenId);
        if (!found) return [];
        const stored = served.get(tokenId);
        const traits = stored?.metadata?.traits ?? [];
        const entry = kept.find(name, tokenId);
        const own = entry?.served === stored ? entry : undefined;
        const inputs = {
          collection,
          tokenId,
          chain: withoutHead(onChain.get(tokenId)),
          served: stored,
          isQueued: now.tokens.get(tokenId)?.isQueued ?? false,
          media: found,
          isAllowed,
          operatorContact,
          groups,
        };
        const made = makeOnce(own?.made, inputs, groupTraits);
        if (own) own.made = made;
        return [{ tokenId, traits, made, counted: counts.get(tokenId), isKept: own !== undefined }];
      });
    },
  };
}

/** Discards what has changed. Reads end in any order: after an older one, the next finds the same changes again. */
function settle(known: Known, changes: CollectionChanges): void {
  const isOtherStore = known.changes?.epoch !== changes.epoch;
  if (isOtherStore || changes.hasNewTypes) known.generation++;
  if (isOtherStore) known.groups = { mark: undefined, groups: [] };
  known.isBusy = known.changes !== undefined && (changes.hasNewTypes || changes.hasNewTokens);
  if (isOtherStore || changes.hasNewTypes || changes.hasNewTokens) known.counts.discard();
  known.changes = changes;
  known.readAt = performance.now();
}
