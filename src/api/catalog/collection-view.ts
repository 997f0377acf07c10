/** The response shape of a collection: data from the operator, its creators and the chain. */

import { z } from "@hono/zod-openapi";
import type { CollectionConfig } from "../../config.ts";
import type { Anomaly } from "../chain/index/anomalies.ts";
import type { ContractFields } from "./contract/contract-fields.ts";
import type { StoredContract } from "./contract/contract-store.ts";
import type { CollectionFigures, Holdings } from "./holdings-store.ts";
import type { InformationService } from "./information/information.ts";
import { type InformationView, nullableInformation } from "./information/information-schema.ts";

const sourceSchema = z.enum(["maker", "contract", "configuration"]).nullable();

/** The fields that several sources may fill. */
const sourcedFields = [
  "name",
  "slug",
  "description",
  "creator_name",
  "avatar",
  "banner",
  "website",
  "discord",
  "x",
] as const;

type Source = z.infer<typeof sourceSchema>;

export const collectionSchema = z
  .object({
    chain_id: z.number(),
    collection_address: z.string(),
    standard: z.enum(["erc721", "erc1155"]).nullable(),
    name: z
      .string()
      .nullable()
      .openapi({ description: "The operator's name for it, or else its creators', or else its contract's." }),
    slug: z.string().nullable(),
    items: z.number().nullable().openapi({
      description: "Existing tokens, according to the chain index; of ERC-1155, those with a supply.",
    }),
    owners: z.number().nullable().openapi({ description: "Wallets that own at least one token." }),
    information: nullableInformation.openapi({
      description:
        "From its creators. Fields that they left empty, all of them where they submitted none, come from the contract's own document (ERC-7572).",
    }),
    information_source: z
      .object({
        name: sourceSchema,
        slug: sourceSchema,
        description: sourceSchema,
        creator_name: sourceSchema,
        avatar: sourceSchema,
        banner: sourceSchema,
        website: sourceSchema,
        discord: sourceSchema,
        x: sourceSchema,
      })
      .openapi({
        description:
          "Where each field comes from: its creators (`maker`), its contract, or the operator's configuration; null for one without a value. `name` and `slug` are those of the collection.",
      }),
    royalty: z
      .object({
        receiver: z.string(),
        percent: z.number().openapi({ description: "Of the sale price, 0 to 100." }),
      })
      .nullable()
      .openapi({
        description:
          "The collection's default royalty (ERC-2981), from a few of its tokens; a token may have another. Null without one.",
      }),
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
        description: "Logs of the contract that the chain index could not process in full (docs/trading.md).",
      }),
  })
  .openapi("Collection");

export type CollectionView = z.infer<typeof collectionSchema>;

export interface CollectionViewDeps {
  readonly holdings: Pick<Holdings, "figures" | "anomalies">;
  readonly information: Pick<InformationService, "readAll">;
  /** What the contract of each collection says, in the given order; undefined before it was read. */
  readonly readContracts: (
    collections: readonly CollectionConfig[],
  ) => Promise<readonly (StoredContract | undefined)[]>;
}

/** The current state of the given collections, in their order; four reads, however many there are. */
export async function viewCollections(
  { holdings, information, readContracts }: CollectionViewDeps,
  collections: readonly CollectionConfig[],
): Promise<CollectionView[]> {
  const [figures, anomalies, records, contracts] = await Promise.all([
    holdings.figures(collections),
    holdings.anomalies(collections),
    information.readAll(collections),
    readContracts(collections),
  ]);
  return collections.map((collection, index) =>
    viewCollection(
      collection,
      figures[index] ?? null,
      records[index] ?? null,
      anomalies[index] ?? [],
      contracts[index],
    ),
  );
}

function viewCollection(
  collection: CollectionConfig,
  figures: CollectionFigures | null,
  submitted: InformationView | null,
  anomalies: readonly Anomaly[],
  contract: StoredContract | undefined,
): CollectionView {
  const { chainId, address, standard } = collection;
  const information = withContract(collection, submitted, contract);
  return {
    chain_id: chainId,
    collection_address: address,
    standard: standard ?? figures?.standard ?? null,
    // Not of `information`, which has the address where nobody gave a name.
    name: collection.name ?? submitted?.name ?? contract?.fields.name ?? null,
    slug: collection.slug ?? information?.slug ?? null,
    items: figures?.items ?? null,
    owners: figures?.owners ?? null,
    information,
    information_source: sourcesOf(collection, submitted, contract?.fields),
    royalty: contract?.royalty ?? null,
    anomalies: anomalies.map(({ kind, count, firstBlock, detail }) => ({
      kind,
      count,
      first_block: firstBlock,
      detail,
    })),
  };
}

/** The creators' fields, and the contract's where they are empty. */
function withContract(
  { name, address }: CollectionConfig,
  submitted: InformationView | null,
  contract: StoredContract | undefined,
): InformationView | null {
  if (!contract) return submitted;
  const { fields, changedAt } = contract;
  if (submitted) {
    const { description, avatar, banner, website } = fields;
    return {
      ...submitted,
      description: submitted.description ?? description,
      avatar: submitted.avatar ?? avatar,
      banner: submitted.banner ?? banner,
      website: submitted.website ?? website,
    };
  }
  if (Object.values(fields).every((value) => value === null)) return null;
  return {
    ...fields,
    name: fields.name ?? name ?? address,
    slug: null,
    creator_name: null,
    discord: null,
    x: null,
    show_at: null,
    tradable_at: null,
    trait_groups: [],
    updated_at: changedAt.toISOString(),
  };
}

function sourcesOf(
  configured: CollectionConfig,
  submitted: InformationView | null,
  fields: ContractFields | undefined,
): CollectionView["information_source"] {
  const ofContract: Readonly<Partial<Record<string, string | null>>> = { ...fields };
  const sourceOf = (field: (typeof sourcedFields)[number]): Source => {
    if ((field === "name" || field === "slug") && configured[field] !== undefined) return "configuration";
    if ((submitted?.[field] ?? null) !== null) return "maker";
    return (ofContract[field] ?? null) === null ? null : "contract";
  };
  return Object.fromEntries(sourcedFields.map((field) => [field, sourceOf(field)])) as Record<
    (typeof sourcedFields)[number],
    Source
  >;
}
