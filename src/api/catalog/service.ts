/** Tokens as answers show them, singly or by the page. */

import { isDeepStrictEqual } from "node:util";
import type { CollectionConfig } from "../../config.ts";
import { collectionKey, type TokenRef } from "../../domain/token-ref.ts";
import { createBatch } from "../async/batch.ts";
import { memoizeByKey } from "../async/memoize.ts";
import { ApiError } from "../http/errors.ts";
import { writeOnce } from "../http/revalidation.ts";
import type { MetadataService } from "../metadata/service.ts";
import type { TokenPage, TokenQuery } from "../search/query.ts";
import type { Search, TokenRarity } from "../search/service.ts";
import { createAnswerBudget } from "./tokens/answer-budget.ts";
import { ALWAYS_FITTING } from "./tokens/document-sizes.ts";
import { createTokenReader, type ReadToken, type TokenReaderDeps } from "./tokens/token-reader.ts";
import {
  type CountedTraits,
  countToken,
  createDistribution,
  type ListedView,
  type TokenView,
  viewToken,
} from "./tokens/token-view.ts";

export type CatalogDeps = TokenReaderDeps & {
  readonly search: Pick<Search, "page">;
  readonly metadata: Pick<MetadataService, "findKnown">;
};

// Requests for tokens of one collection share their statements: half of the cost of one is the same for hundreds. Nobody
// waits long for a batch that waits for a node.
const BATCH_TOKENS_MAX = 200;
const BATCHES_AT_ONCE = 2;
const BESIDE_AFTER_MS = 10;

interface TokenBatch {
  readonly items: TokenView[];
  readonly missing: string[];
}

type FindToken = (tokenId: string) => Promise<TokenView | undefined>;

export function createCatalog(deps: CatalogDeps) {
  const { database, metadata, search } = deps;
  const { countFitting, readTokens } = createTokenReader(deps);
  const { fitList, requireFit } = createAnswerBudget(countFitting, ALWAYS_FITTING);

  async function readViews(collection: CollectionConfig, tokenIds: readonly string[]): Promise<TokenView[]> {
    return viewTokens(collection, await readTokens(collection, tokenIds));
  }

  const limits = { max: BATCH_TOKENS_MAX, atOnce: BATCHES_AT_ONCE, besideAfterMs: BESIDE_AFTER_MS };
  const viewsOf = memoizeByKey(
    (collection: CollectionConfig) =>
      createBatch<TokenView>(
        async (tokenIds) =>
          new Map((await readViews(collection, tokenIds)).map((token) => [token.token_id, token])),
        limits,
      ),
    collectionKey,
  );

  /** Asks for the counts of tokens that have changed since they were counted, or have long texts. */
  async function viewTokens(
    collection: CollectionConfig,
    tokens: readonly ReadToken[],
  ): Promise<TokenView[]> {
    const left = tokens.filter(({ counted }) => !counted);
    const others =
      left.length === 0
        ? undefined
        : createDistribution(
            await search.countTraits(
              collection,
              left.flatMap((token) => token.traits),
              left.map(({ tokenId }) => tokenId),
            ),
          );
    return tokens.flatMap((token) => {
      const found = token.counted ?? (others && countToken(token.tokenId, token.traits, others));
      return found ? viewOnce(token, found) : [];
    });
  }

  /** Those that exist, in the order of the ids. */
  const findAll = async (find: FindToken, tokenIds: readonly string[]): Promise<TokenView[]> =>
    (await Promise.all(tokenIds.map(find))).flatMap((token) => token ?? []);

  return {
    /** The token, or undefined if it has no transfer. Requests that arrive together share their reads. */
    findToken: (collection: CollectionConfig, tokenId: string): Promise<TokenView | undefined> =>
      viewsOf(collection)(tokenId),

    /** Whether there is such a token, or was before it was burned. Reads no document. */
    async hasToken({ chainId, address }: CollectionConfig, tokenId: string): Promise<boolean> {
      return (await metadata.findKnown(database, chainId, address, [tokenId])).has(tokenId);
    },

    /**
     * The listed tokens of a page, each with the number of tokens that it stands for, if they are grouped, and with the
     * rarity that the page is sorted by. A token may be burned after the search.
     */
    async listPage(
      collection: CollectionConfig,
      { tokenIds, counts, rarity }: Pick<TokenPage, "tokenIds" | "counts" | "rarity">,
    ): Promise<ListedView[]> {
      const tokens = await findAll(viewsOf(collection), tokenIds);
      return tokens.flatMap((token) => {
        if (token.burned) return [];
        const count = counts?.[tokenIds.indexOf(token.token_id)];
        const ranked = withRarity(token, rarity?.get(token.token_id));
        return count === undefined ? ranked : { ...ranked, count };
      });
    },

    countFitting,

    /** For requests of several fields, each of which reads tokens: see answer-budget.ts. */
    fitList,
    requireFit,

    /** A page of a search, with fewer tokens than its limit if their documents are too large for one answer. */
    async findPage(collection: CollectionConfig, query: TokenQuery): Promise<TokenPage> {
      const page = await search.page(collection, query);
      const fitting = await countFitting(refsOf(collection, page.tokenIds));
      return fitting === page.tokenIds.length ? page : search.page(collection, { ...query, limit: fitting });
    },

    /** Throws where the documents of these tokens are too large for one answer; `field` is what asks for them. */
    async requireFitting(
      asked: readonly { readonly collection: CollectionConfig; readonly tokenIds: readonly string[] }[],
      field: string,
    ): Promise<void> {
      const tokens = asked.flatMap(({ collection, tokenIds }) => refsOf(collection, [...new Set(tokenIds)]));
      const fitting = await countFitting(tokens);
      if (fitting === tokens.length) return;
      const message = `asks for ${tokens.length} tokens whose documents exceed one answer; at most ${fitting} fit`;
      throw new ApiError("INVALID_REQUEST", [{ path: field, message }]);
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

export const refsOf = ({ chainId, address }: CollectionConfig, tokenIds: readonly string[]): TokenRef[] =>
  tokenIds.map((tokenId) => ({ chainId, collection: address, tokenId }));

export type Catalog = ReturnType<typeof createCatalog>;

/** The view that was made of the same before, if the token is kept; its answer is written once as well. */
function viewOnce({ made, isKept }: ReadToken, counted: CountedTraits): TokenView {
  if (made.view?.counted === counted) return made.view.view;
  const view = viewToken({ ...made.parts, counted });
  if (!isKept) return view;
  made.view = { counted, view };
  return writeOnce(view);
}

/** The token itself where that is its rarity anyway. */
const withRarity = (token: TokenView, rarity: TokenRarity | undefined): TokenView =>
  rarity === undefined || isDeepStrictEqual(rarity, token.rarity)
    ? token
    : { ...token, rarity: { ...rarity } };
