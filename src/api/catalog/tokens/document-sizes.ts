/** How many tokens' documents fit into one answer: by the sizes of those kept in memory, and of those measured. */

import { LRUCache } from "lru-cache";
import { collectionKey, type TokenRef, tokenKey } from "../../../domain/token-ref.ts";
import type { Database } from "../../db/database.ts";
import { DOCUMENT_BYTES_MAX } from "../../metadata/module.ts";
import type { MetadataService } from "../../metadata/service.ts";
import { countFitting } from "../fitting.ts";
import type { TokenCache } from "./token-cache.ts";

// Of the documents of one answer together.
const ANSWER_BYTES_MAX = 8 * 1024 * 1024;
/** As many fit into one answer, whatever they are. */
export const ALWAYS_FITTING = Math.floor(ANSWER_BYTES_MAX / DOCUMENT_BYTES_MAX);
// A document may have grown since it was read last. To fetch and record enough to exceed an answer many times takes longer
// than this; a page whose tokens are read more often needs no statement for their sizes.
const SIZE_KNOWN_MS = 2_000;
const SIZES_KNOWN = 2_000;

/**
 * How many of these tokens, from the first, have documents of about 8 MiB together at most; the first in any case. Measures
 * those that were neither read nor measured just now, unless they fit whatever they are.
 */
export type CountFitting = (tokens: readonly TokenRef[]) => Promise<number>;

export function createDocumentSizes({
  database,
  metadata,
  kept,
}: {
  readonly database: Database;
  readonly metadata: Pick<MetadataService, "readServedBytes">;
  readonly kept: Pick<TokenCache, "find">;
}): CountFitting {
  const measured = new LRUCache<string, number>({ max: SIZES_KNOWN, ttl: SIZE_KNOWN_MS });

  /** Undefined if it has to be measured. */
  function knownSize(token: TokenRef): number | undefined {
    const { chainId, collection: address, tokenId } = token;
    const entry = kept.find(collectionKey({ chainId, address }), tokenId);
    const isCurrent = entry !== undefined && performance.now() - entry.checkedAt < SIZE_KNOWN_MS;
    return (isCurrent ? entry.characters : undefined) ?? measured.get(tokenKey(token));
  }

  return async (tokens) => {
    const known = tokens.map(knownSize);
    const most = known.reduce<number>((sum, size) => sum + (size ?? DOCUMENT_BYTES_MAX), 0);
    if (most <= ANSWER_BYTES_MAX) return tokens.length;
    const left = tokens.filter((_, nth) => known[nth] === undefined);
    const found = await metadata.readServedBytes(database, left);
    // Nothing is found of a token without a document.
    for (const name of left.map(tokenKey)) measured.set(name, found.get(name) ?? 0);
    const sizes = tokens.map((token, nth) => known[nth] ?? found.get(tokenKey(token)) ?? 0);
    return countFitting(sizes, ANSWER_BYTES_MAX).count;
  };
}
