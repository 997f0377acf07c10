/** A collection as it is answered: what the operator, its makers and the chain tell of it. */

import { z } from "@hono/zod-openapi";
import type { CollectionConfig } from "../../config.ts";
import type { CollectionFigures, Holdings } from "./holdings-store.ts";
import type { InformationService } from "./information.ts";
import { type InformationView, toldSchema } from "./information-schema.ts";

export const collectionSchema = z
  .object({
    chain_id: z.number(),
    collection_address: z.string(),
    standard: z.enum(["erc721", "erc1155"]).nullable(),
    name: z
      .string()
      .nullable()
      .openapi({ description: "The operator's name for it, else that of its makers." }),
    slug: z.string().nullable(),
    items: z.number().nullable().openapi({ description: "Tokens that exist, as the index has it." }),
    owners: z.number().nullable().openapi({ description: "Wallets that hold some." }),
    information: toldSchema,
  })
  .openapi("Collection");

export type CollectionView = z.infer<typeof collectionSchema>;

export interface CollectionViewDeps {
  readonly holdings: Pick<Holdings, "figures">;
  readonly information: Pick<InformationService, "readAll">;
}

/** Collections as they are now, in the order given, in two reads however many they are. */
export async function viewCollections(
  { holdings, information }: CollectionViewDeps,
  collections: readonly CollectionConfig[],
): Promise<CollectionView[]> {
  const [figures, told] = await Promise.all([
    holdings.figures(collections),
    information.readAll(collections),
  ]);
  return collections.map((collection, index) =>
    viewCollection(collection, figures[index] ?? null, told[index] ?? null),
  );
}

const viewCollection = (
  { chainId, address, standard, name, slug }: CollectionConfig,
  figures: CollectionFigures | null,
  information: InformationView | null,
): CollectionView => ({
  chain_id: chainId,
  collection_address: address,
  standard: standard ?? figures?.standard ?? null,
  name: name ?? information?.name ?? null,
  slug: slug ?? information?.slug ?? null,
  items: figures?.items ?? null,
  owners: figures?.owners ?? null,
  information,
});
