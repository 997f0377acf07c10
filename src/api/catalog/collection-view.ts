/** The response shape of a collection: data from the operator, its creators and the chain. */

import { z } from "@hono/zod-openapi";
import type { CollectionConfig } from "../../config.ts";
import type { Anomaly } from "../chain/index/anomalies.ts";
import type { CollectionFigures, Holdings } from "./holdings-store.ts";
import type { InformationService } from "./information/information.ts";
import { type InformationView, nullableInformation } from "./information/information-schema.ts";

export const collectionSchema = z
  .object({
    chain_id: z.number(),
    collection_address: z.string(),
    standard: z.enum(["erc721", "erc1155"]).nullable(),
    name: z
      .string()
      .nullable()
      .openapi({ description: "The operator's name for it, or else its creators'." }),
    slug: z.string().nullable(),
    items: z.number().nullable().openapi({ description: "Existing tokens, according to the index." }),
    owners: z.number().nullable().openapi({ description: "Wallets that own at least one token." }),
    information: nullableInformation,
    anomalies: z
      .array(
        z.object({
          kind: z.string().openapi({ example: "unreadable_transfer" }),
          count: z.number().openapi({ description: "Number of logs." }),
          first_block: z.number(),
          detail: z.string().openapi({ description: "Details of the first one." }),
        }),
      )
      .openapi({
        description: "Logs of the contract that the index could not process in full (docs/trading.md).",
      }),
  })
  .openapi("Collection");

export type CollectionView = z.infer<typeof collectionSchema>;

export interface CollectionViewDeps {
  readonly holdings: Pick<Holdings, "figures" | "anomalies">;
  readonly information: Pick<InformationService, "readAll">;
}

/** The current state of the given collections, in their order; three reads, however many there are. */
export async function viewCollections(
  { holdings, information }: CollectionViewDeps,
  collections: readonly CollectionConfig[],
): Promise<CollectionView[]> {
  const [figures, anomalies, records] = await Promise.all([
    holdings.figures(collections),
    holdings.anomalies(collections),
    information.readAll(collections),
  ]);
  return collections.map((collection, index) =>
    viewCollection(collection, figures[index] ?? null, records[index] ?? null, anomalies[index] ?? []),
  );
}

const viewCollection = (
  { chainId, address, standard, name, slug }: CollectionConfig,
  figures: CollectionFigures | null,
  information: InformationView | null,
  anomalies: readonly Anomaly[],
): CollectionView => ({
  chain_id: chainId,
  collection_address: address,
  standard: standard ?? figures?.standard ?? null,
  name: name ?? information?.name ?? null,
  slug: slug ?? information?.slug ?? null,
  items: figures?.items ?? null,
  owners: figures?.owners ?? null,
  information,
  anomalies: anomalies.map(({ kind, count, firstBlock, detail }) => ({
    kind,
    count,
    first_block: firstBlock,
    detail,
  })),
});
