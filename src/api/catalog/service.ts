/** Assembles tokens from chain state, metadata and media, singly or by the page. */

import type { CollectionConfig } from "../../config.ts";
import { collectionKey } from "../../domain/token-ref.ts";
import type { Database, Queryable } from "../db/database.ts";
import { createBatch } from "../jobs/batch.ts";
import type { Allowlist } from "../media/display/allowlist.ts";
import { chooseDisplay } from "../media/rules.ts";
import type { MediaService } from "../media/service.ts";
import type { MetadataService } from "../metadata/service.ts";
import type { TokenPage } from "../search/query.ts";
import type { Search } from "../search/service.ts";
import type { TradingService } from "../trading/service.ts";
import type { InformationService } from "./information/information.ts";
import { withMediaIssues } from "./tokens/token-issues.ts";
import { createDistribution, type ListedView, type TokenView, viewToken } from "./tokens/token-view.ts";

export interface CatalogDeps {
  readonly database: Database;
  readonly metadata: Pick<MetadataService, "readServed">;
  readonly trading: TradingService;
  readonly allowlist: Allowlist;
  readonly media: MediaService;
  readonly search: Pick<Search, "countTraits">;
  readonly information: Pick<InformationService, "readAll">;
  /** The tokens among these with a queued fetch. */
  readonly findQueued: (
    chainId: number,
    collection: string,
    tokenIds: readonly string[],
    db?: Queryable,
  ) => Promise<ReadonlySet<string>>;
  /** Contact for issues that only the operator can resolve. */
  readonly operatorContact?: string | undefined;
}

// Requests for tokens of one collection share their statements: half of the cost of one is the same for hundreds.
const BATCH_TOKENS_MAX = 200;
const BATCHES_AT_ONCE = 2;

type FindToken = (tokenId: string) => Promise<TokenView | undefined>;

const noMedia = { image: null, video: null, animation_url: null };

export function createCatalog(deps: CatalogDeps) {
  const { database, metadata, trading, allowlist, media, search, information, findQueued, operatorContact } =
    deps;

  /**
   * The tokens among these with a transfer, in the order of the ids. The number of reads doesn't depend on their
   * number. One statement reads a token's metadata, and one its chain state.
   */
  async function readTokens(collection: CollectionConfig, tokenIds: readonly string[]): Promise<TokenView[]> {
    if (tokenIds.length === 0) return [];
    const { chainId, address } = collection;
    const [onChain, served, queued, isAllowed, [stored]] = await Promise.all([
      trading.readTokens(chainId, address, tokenIds),
      metadata.readServed(database, chainId, address, tokenIds),
      findQueued(chainId, address, tokenIds),
      allowlist.forCollection(chainId, address),
      information.readAll([collection]),
    ]);
    const known = tokenIds.filter((tokenId) => {
      const isSeen = served.get(tokenId)?.isUnseen === false;
      // A chain index still being built may lack a token that was seen before.
      return isSeen || (onChain.get(tokenId)?.standard ?? null) !== null;
    });
    const documents = known.map((tokenId) => served.get(tokenId)?.metadata ?? noMedia);
    const [counts, shown] = await Promise.all([
      search.countTraits(
        collection,
        known.flatMap((tokenId) => served.get(tokenId)?.metadata?.traits ?? []),
        known,
      ),
      media.readAll(documents),
    ]);
    const distribution = createDistribution(counts);
    return known.flatMap((tokenId, index) => {
      const [document, found] = [documents[index], shown[index]];
      if (!document || !found) return [];
      return viewToken({
        collection,
        tokenId,
        chain: onChain.get(tokenId),
        served: served.get(tokenId),
        isQueued: queued.has(tokenId),
        image: found.image,
        display: chooseDisplay(document, found.image.url, isAllowed, found.faults, found.ends),
        issues: withMediaIssues(served.get(tokenId)?.issues ?? [], {
          fields: document,
          checked: found.checked,
          ends: found.ends,
          isAllowed,
          isTriedOften: true,
          operatorContact,
        }),
        distribution,
        rarity: counts.rarity.get(tokenId) ?? null,
        groups: stored?.trait_groups ?? [],
      });
    });
  }

  const batches = new Map<string, FindToken>();

  function batchOf(collection: CollectionConfig): FindToken {
    const name = collectionKey(collection);
    const batch =
      batches.get(name) ??
      createBatch<TokenView>(
        async (tokenIds) =>
          new Map((await readTokens(collection, tokenIds)).map((token) => [token.token_id, token])),
        { max: BATCH_TOKENS_MAX, atOnce: BATCHES_AT_ONCE },
      );
    batches.set(name, batch);
    return batch;
  }

  return {
    /** The token, or undefined if it has no transfer. Requests that arrive together share their reads. */
    findToken: (collection: CollectionConfig, tokenId: string): Promise<TokenView | undefined> =>
      batchOf(collection)(tokenId),

    /** The tokens of a page, each with the number of tokens that it stands for, if they are grouped. */
    async listPage(
      collection: CollectionConfig,
      { tokenIds, counts }: Pick<TokenPage, "tokenIds" | "counts">,
    ): Promise<ListedView[]> {
      const tokens = await Promise.all(tokenIds.map(batchOf(collection)));
      return tokens.flatMap((token, nth) => {
        if (!token || token.burned) return [];
        const count = counts?.[nth];
        return count === undefined ? token : { ...token, count };
      });
    },

    /** The listed tokens among these, in the order of the ids: a token may be burned after the search. */
    async listTokens(collection: CollectionConfig, tokenIds: readonly string[]): Promise<TokenView[]> {
      const tokens = await Promise.all(tokenIds.map(batchOf(collection)));
      return tokens.flatMap((token) => (token && !token.burned ? [token] : []));
    },
  };
}

export type Catalog = ReturnType<typeof createCatalog>;
