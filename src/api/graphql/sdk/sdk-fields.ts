/** Root fields in the shapes of the marketplace SDK, with its arguments' meanings. */

import { z } from "@hono/zod-openapi";
import type { CollectionConfig, Standard } from "../../../config.ts";
import type { Collections } from "../../catalog/collections.ts";
import { type CatalogModule, refsOf, viewCollections } from "../../catalog/module.ts";
import { ownerSchema, toFilter } from "../../catalog/rules.ts";
import { collectionNameField } from "../../http/fields.ts";
import { valueText } from "../../metadata/rules.ts";
import type { TokenPage, TokenSort } from "../../search/query.ts";
import type { Search } from "../../search/service.ts";
import {
  chainIdArgument,
  collectionArguments,
  conditionArguments,
  listArgument,
  readArguments,
  textArgument,
  tokenArguments,
  windowArguments,
} from "../own/arguments.ts";
import type { Caller } from "../routes.ts";
import { createTokenShapes, ercOf, shapeCollection } from "./sdk-shapes.ts";

const byId: TokenSort = { by: "id", descending: false };
// Without prices all tokens tie, so ids decide the order.
const sorts: Readonly<Record<string, TokenSort>> = {
  IdAsc: byId,
  IdDesc: { by: "id", descending: true },
  Latest: { by: "latest" },
  PriceAsc: byId,
  PriceDesc: byId,
};

const saleArguments = {
  auctionType: z.enum(["All", "NotForSale", "Sale"]).nullish(),
  priceRange: z.object({ from: z.string().nullish(), to: z.string().nullish() }).nullish(),
};
const listArguments = z.intersection(
  z.object({
    ...collectionArguments,
    ...conditionArguments,
    ...saleArguments,
    name: textArgument,
    sort: z.string().nullish(),
  }),
  windowArguments,
);
const COLLECTIONS_MAX = 100;
const ownedArguments = z.intersection(
  z.object({
    ...saleArguments,
    owner: ownerSchema,
    chainId: chainIdArgument,
    tokenAddresses: listArgument(collectionNameField, COLLECTIONS_MAX, "collections").nullish(),
  }),
  windowArguments,
);
const collectionOnly = z.object(collectionArguments);

/** Nothing is for sale, so a condition on a sale or a price matches nothing. */
const asksForSale = ({ auctionType, priceRange }: z.output<z.ZodObject<typeof saleArguments>>): boolean =>
  auctionType === "Sale" || (priceRange?.from ?? priceRange?.to ?? null) !== null;

export interface SdkFieldDeps extends CatalogModule {
  readonly collections: Collections;
  readonly search: Pick<Search, "page" | "facets">;
}

export function createSdkFields(deps: SdkFieldDeps) {
  const { catalog, collections, holdings, search } = deps;

  async function standardOf(collection: CollectionConfig): Promise<Standard | null> {
    if (collection.standard) return collection.standard;
    const [figures] = await holdings.figures([collection]);
    return figures?.standard ?? null;
  }

  const findToken = (standard: Standard) => async (args: z.input<typeof tokenArguments>, caller: Caller) => {
    const { tokenAddress, tokenId, chainId } = readArguments(tokenArguments, args);
    const collection = await collections.findNamed(tokenAddress, chainId);
    await catalog.requireFit(caller, refsOf(collection, [tokenId]));
    const token = await catalog.findToken(collection, tokenId);
    return token?.standard === standard ? createTokenShapes(deps, collection)(token, standard) : null;
  };

  const listTokens = (standard: Standard) => async (args: z.input<typeof listArguments>, caller: Caller) => {
    const { tokenAddress, chainId, from, size, sort, ...asked } = readArguments(listArguments, args);
    const collection = await collections.findNamed(tokenAddress, chainId);
    const found = await standardOf(collection);
    if (asksForSale(asked) || (found !== null && found !== standard)) return { total: 0, results: [] };
    const { tokenIds, total } = await search.page(collection, {
      filter: toFilter(asked),
      sort: sorts[sort ?? "IdAsc"] ?? byId,
      limit: Math.max(1, size),
      offset: from,
    });
    return {
      total,
      // Computed only if selected.
      async results() {
        const shape = createTokenShapes(deps, collection);
        const shown = tokenIds.slice(0, size);
        await catalog.requireFitting([{ collection, tokenIds: shown }], "size");
        await catalog.requireFit(caller, refsOf(collection, shown));
        const tokens = await catalog.listPage(collection, { tokenIds: shown });
        return tokens.map((token) => shape(token, standard));
      },
    };
  };

  const listCollections = (standard: Standard) => async (args: z.input<typeof windowArguments>) => {
    const { from, size } = readArguments(windowArguments, args);
    const views = await viewCollections(deps, collections.all);
    return views
      .filter((view) => view.standard === standard)
      .slice(from, from + size)
      .map(shapeCollection);
  };

  return {
    erc721Token: findToken("erc721"),
    erc1155Token: findToken("erc1155"),
    erc721Tokens: listTokens("erc721"),
    erc1155Tokens: listTokens("erc1155"),
    erc721List: listCollections("erc721"),
    erc1155List: listCollections("erc1155"),

    async tokenData(args: z.input<typeof collectionOnly>) {
      const { tokenAddress, chainId } = readArguments(collectionOnly, args);
      const [view] = await viewCollections(deps, [await collections.findNamed(tokenAddress, chainId)]);
      return view ? shapeCollection(view) : null;
    },

    async tokenMetadata(args: z.input<typeof collectionOnly>) {
      const { tokenAddress, chainId } = readArguments(collectionOnly, args);
      const collection = await collections.findNamed(tokenAddress, chainId);
      const [standard, { traits }] = await Promise.all([
        standardOf(collection),
        search.facets(collection, toFilter({})),
      ]);
      return {
        erc: ercOf(standard),
        attributes: traits.map(({ trait_type, display_type, values }) => ({
          key: trait_type,
          displayType: display_type,
          values: values.map(({ value, count }) => ({ value: valueText(value), count })),
        })),
      };
    },

    /** One collection after the other, as one list. */
    async tokens(args: z.input<typeof ownedArguments>, caller: Caller) {
      const { owner, chainId, from, size, tokenAddresses, ...asked } = readArguments(ownedArguments, args);
      if (asksForSale(asked)) return { total: 0, data: [] };
      const pages: ({ readonly collection: CollectionConfig } & Pick<TokenPage, "tokenIds">)[] = [];
      let [left, total] = [size, 0];
      const chosen = await choose(collections, tokenAddresses ?? [], chainId);
      // A service may have a thousand collections, and a wallet has tokens of few.
      const searched = tokenAddresses?.length ? chosen : await holdings.heldBy(chosen, owner);
      for (const collection of searched) {
        const page = await search.page(collection, {
          filter: toFilter({ owner }),
          sort: byId,
          limit: Math.max(1, left),
          offset: Math.max(0, from - total),
        });
        const tokenIds = page.tokenIds.slice(0, left);
        pages.push({ collection, tokenIds });
        left -= tokenIds.length;
        total += page.total;
      }
      return {
        total,
        async data() {
          await catalog.requireFitting(pages, "size");
          await catalog.requireFit(
            caller,
            pages.flatMap(({ collection, tokenIds }) => refsOf(collection, tokenIds)),
          );
          const made = pages.map(async ({ collection, ...page }) => {
            const shape = createTokenShapes(deps, collection);
            const tokens = await catalog.listPage(collection, page);
            return tokens.map((token) => shape(token, token.standard ?? "erc721"));
          });
          return (await Promise.all(made)).flat();
        },
      };
    },
  };
}

/**
 * The collections with these slugs, or with these addresses on every chain, each once, or all; limited to one chain if
 * given.
 */
async function choose(
  collections: Collections,
  addresses: readonly string[],
  chainId: number | undefined,
): Promise<readonly CollectionConfig[]> {
  if (addresses.length === 0) return collections.among(undefined, chainId);
  const named = await collections.findAllNamed(addresses, chainId);
  const chosen = named.flatMap((first, index) => {
    const isAnyOf = chainId === undefined && first.address === addresses[index];
    return isAnyOf ? collections.all.filter(({ address }) => address === first.address) : [first];
  });
  return [...new Set(chosen)];
}
