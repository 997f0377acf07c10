/** Tokens and collections in the shapes of the marketplace SDK. Unknown fields are null: orders, prices, profiles. */

import type { z } from "@hono/zod-openapi";
import type { CollectionConfig, Standard } from "../../../config.ts";
import { createBatch } from "../../async/batch.ts";
import { memoizeByKey } from "../../async/memoize.ts";
import type { CollectionView } from "../../catalog/collection-view.ts";
import { type CatalogModule, viewCollections } from "../../catalog/module.ts";
import { ownerSchema } from "../../catalog/rules.ts";
import type { TokenView } from "../../catalog/tokens/token-view.ts";
import { valueText } from "../../metadata/rules.ts";
import { readArguments, windowArguments } from "../own/arguments.ts";
import { tokenOrderFields } from "./order-fields.ts";

export const ercOf = (standard: Standard | null): "Erc721" | "Erc1155" | null =>
  standard === null ? null : standard === "erc721" ? "Erc721" : "Erc1155";

export const shapeCollection = (collection: CollectionView) => ({
  tokenAddress: collection.collection_address,
  chainId: collection.chain_id,
  collectionMetadata: shapeInformation(collection),
  totalOwners: collection.owners,
  totalItems: collection.items === null ? null : String(collection.items),
  erc: ercOf(collection.standard),
  allowedPaymentTokens: [],
});

const shapeInformation = ({ name, information }: CollectionView) => ({
  avatar: information?.avatar ?? null,
  banner: information?.banner ?? null,
  collection_name: name,
  discord_url: information?.discord ?? null,
  ronin_url: null,
  studio_name: information?.creator_name ?? null,
  twitter_url: information?.x ?? null,
  website_url: information?.website ?? null,
});

type Window = z.input<typeof windowArguments>;

/** Shapes tokens of one collection; shared data is read once. */
export function createTokenShapes(
  deps: Pick<CatalogModule, "holdings" | "information" | "readContracts">,
  collection: CollectionConfig,
) {
  const { holdings } = deps;
  const view = memoizeByKey(async () => {
    const [found] = await viewCollections(deps, [collection]);
    return found;
  });
  const owners = createBatch((tokenIds) => holdings.owners(collection, tokenIds));
  const balances = memoizeByKey((owner) =>
    createBatch((tokenIds) => holdings.balances(collection, tokenIds, owner)),
  );
  const histories = memoizeByKey((name) => {
    const [offset = 0, limit = 0] = name.split(":").map(Number);
    return createBatch((tokenIds) => holdings.transfers(collection, tokenIds, { offset, limit }));
  });

  return (token: TokenView, standard: Standard) => ({
    __typename: ercOf(standard),
    tokenAddress: token.collection_address,
    tokenId: token.token_id,
    chainId: token.chain_id,
    name: token.name,
    image: token.image.url,
    cdnImage: token.image.status === "cached" ? token.image.url : null,
    video: token.display.token_page.kind === "video" ? token.display.token_page.url : null,
    isLocked: token.lock.locked,
    attributes: valuesByType(token),
    traitDistribution: token.traits.map((trait) => ({
      key: trait.trait_type,
      value: valueText(trait.value),
      count: trait.count,
      percentage: trait.percentage,
      displayType: trait.display_type,
    })),
    async collectionMetadata() {
      const found = await view("");
      return found ? shapeInformation(found) : null;
    },
    async transferHistory(args: Window) {
      const { from, size } = readArguments(windowArguments, args);
      const page = await histories(`${from}:${size}`)(token.token_id);
      return {
        total: page?.total ?? 0,
        results: (page?.transfers ?? []).map(({ transactionHash, ...transfer }) => ({
          ...transfer,
          txHash: transactionHash,
        })),
      };
    },
    ...(standard === "erc721"
      ? { owner: token.owner ?? null, ...tokenOrderFields }
      : {
          totalItems: token.supply ?? null,
          totalOwners: () => owners(token.token_id),
          balance: (args: { readonly owner: string }) =>
            balances(readArguments(ownerSchema, args.owner))(token.token_id),
          orders(args: Window) {
            readArguments(windowArguments, args);
            return [];
          },
        }),
  });
}

function valuesByType(token: TokenView): Record<string, string[]> {
  const attributes: Record<string, string[]> = Object.create(null);
  for (const { trait_type, value } of token.traits) {
    const values = attributes[trait_type];
    if (values) values.push(valueText(value));
    else attributes[trait_type] = [valueText(value)];
  }
  return attributes;
}
