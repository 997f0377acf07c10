/** Assembles tokens from chain state, metadata and media, singly or by the page. */

import type { CollectionConfig } from "../../config.ts";
import { collectionKey } from "../../domain/token-ref.ts";
import type { Database, Queryable } from "../db/database.ts";
import { createBatch } from "../jobs/batch.ts";
import type { Allowlist } from "../media/display/allowlist.ts";
import { chooseDisplay } from "../media/rules.ts";
import type { MediaService } from "../media/service.ts";
import type { Trait } from "../metadata/document/traits.ts";
import type { MetadataService } from "../metadata/service.ts";
import type { TokenPage } from "../search/query.ts";
import type { Search, TraitCounts } from "../search/service.ts";
import type { TradingService } from "../trading/service.ts";
import type { InformationService } from "./information/information.ts";
import { withMediaIssues } from "./tokens/token-issues.ts";
import {
  createDistribution,
  type Distribution,
  type ListedView,
  type TokenParts,
  type TokenView,
  viewToken,
} from "./tokens/token-view.ts";

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

interface TokenBatch {
  readonly items: TokenView[];
  readonly missing: string[];
}

type Find<Token> = (tokenId: string) => Promise<Token | undefined>;

/** A token whose traits are not counted yet. */
interface ReadToken {
  readonly tokenId: string;
  readonly traits: readonly Trait[];
  readonly parts: Omit<TokenParts, "distribution" | "rarity">;
}

const noMedia = { image: null, video: null, animation_url: null };

export function createCatalog(deps: CatalogDeps) {
  const { database, metadata, trading, allowlist, media, search, information, findQueued, operatorContact } =
    deps;

  /**
   * The tokens among these with a transfer, in the order of the ids. The number of reads doesn't depend on their
   * number. One statement reads a token's metadata, and one its chain state.
   */
  async function readTokens(
    collection: CollectionConfig,
    tokenIds: readonly string[],
  ): Promise<readonly ReadToken[]> {
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
    const shown = await media.readAll(documents);
    return known.flatMap((tokenId, index): ReadToken[] => {
      const [document, found] = [documents[index], shown[index]];
      if (!document || !found) return [];
      const parts = {
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
        groups: stored?.trait_groups ?? [],
      };
      return [{ tokenId, traits: served.get(tokenId)?.metadata?.traits ?? [], parts }];
    });
  }

  async function readViews(collection: CollectionConfig, tokenIds: readonly string[]): Promise<TokenView[]> {
    if (tokenIds.length === 0) return [];
    const [tokens, traits] = await Promise.all([
      readTokens(collection, tokenIds),
      search.countTraits(collection, undefined, tokenIds),
    ]);
    return viewTokens(collection, tokens, traits);
  }

  const limits = { max: BATCH_TOKENS_MAX, atOnce: BATCHES_AT_ONCE };
  const viewsOf = keepBatches((collection) =>
    createBatch<TokenView>(
      async (tokenIds) =>
        new Map((await readViews(collection, tokenIds)).map((token) => [token.token_id, token])),
      limits,
    ),
  );
  // Tokens whose counts came with their page.
  const uncounted = keepBatches((collection) =>
    createBatch<ReadToken>(
      async (tokenIds) =>
        new Map((await readTokens(collection, tokenIds)).map((token) => [token.tokenId, token])),
      limits,
    ),
  );

  /** Asks again for the counts of tokens that have changed since they were counted, or have long texts. */
  async function viewTokens(
    collection: CollectionConfig,
    tokens: readonly ReadToken[],
    traits: TraitCounts,
  ): Promise<TokenView[]> {
    const distribution = createDistribution(traits);
    const isCounted = (token: ReadToken): boolean => token.traits.every(distribution.has);
    const left = tokens.filter((token) => !isCounted(token));
    const others =
      left.length === 0
        ? distribution
        : createDistribution(
            await search.countTraits(
              collection,
              left.flatMap((token) => token.traits),
              left.map(({ tokenId }) => tokenId),
            ),
          );
    return tokens.map((token) => viewRead(token, isCounted(token) ? distribution : others));
  }

  /** Those that exist, in the order of the ids. */
  const findAll = async <Token>(find: Find<Token>, tokenIds: readonly string[]): Promise<Token[]> =>
    (await Promise.all(tokenIds.map(find))).flatMap((token) => token ?? []);

  return {
    /** The token, or undefined if it has no transfer. Requests that arrive together share their reads. */
    findToken: (collection: CollectionConfig, tokenId: string): Promise<TokenView | undefined> =>
      viewsOf(collection)(tokenId),

    /**
     * The listed tokens of a page, each with the number of tokens that it stands for, if they are grouped. Counts that
     * came with the page are not asked for again. A token may be burned after the search.
     */
    async listPage(
      collection: CollectionConfig,
      { tokenIds, counts, traits }: Pick<TokenPage, "tokenIds" | "counts" | "traits">,
    ): Promise<ListedView[]> {
      const tokens = traits
        ? await viewTokens(collection, await findAll(uncounted(collection), tokenIds), traits)
        : await findAll(viewsOf(collection), tokenIds);
      return tokens.flatMap((token) => {
        if (token.burned) return [];
        const count = counts?.[tokenIds.indexOf(token.token_id)];
        return count === undefined ? token : { ...token, count };
      });
    },

    /** The tokens with these ids, each once, in the order of the ids, and the ids without a token. */
    async findTokens(collection: CollectionConfig, ids: readonly string[]): Promise<TokenBatch> {
      const items = await findAll(viewsOf(collection), [...new Set(ids)]);
      const found = new Set(items.map((token) => token.token_id));
      return { items, missing: [...new Set(ids)].filter((tokenId) => !found.has(tokenId)) };
    },

    /** The listed tokens among these, in the order of the ids: a token may be burned after the search. */
    async listTokens(collection: CollectionConfig, tokenIds: readonly string[]): Promise<TokenView[]> {
      return (await findAll(viewsOf(collection), tokenIds)).filter((token) => !token.burned);
    },
  };
}

export type Catalog = ReturnType<typeof createCatalog>;

const viewRead = ({ tokenId, parts }: ReadToken, distribution: Distribution): TokenView =>
  viewToken({ ...parts, distribution, rarity: distribution.rarity.get(tokenId) ?? null });

/** One batch for each collection. */
function keepBatches<Token>(create: (collection: CollectionConfig) => Find<Token>) {
  const batches = new Map<string, Find<Token>>();
  return (collection: CollectionConfig): Find<Token> => {
    const name = collectionKey(collection);
    const batch = batches.get(name) ?? create(collection);
    batches.set(name, batch);
    return batch;
  };
}
