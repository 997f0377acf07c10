/** A token as every door answers it (design: "Shapes"), and its documented schema. */

import { z } from "@hono/zod-openapi";
import type { CollectionConfig } from "../../config.ts";
import { isLocked } from "../../domain/lock-count.ts";
import type { Display } from "../media/display.ts";
import { issueSchema } from "../metadata/issue-schema.ts";
import type { ServedMetadata } from "../metadata/store.ts";
import { displayTypes, type Trait, valueText } from "../metadata/traits.ts";
import type { TokenOnChain } from "../trading/service.ts";
import { defaultGroups } from "./trait-groups.ts";

export const displaySchema = z
  .object({
    collection_page: z.object({ kind: z.enum(["image", "none"]), url: z.string().nullable() }),
    token_page: z.object({
      kind: z.enum(["animation", "video", "image", "none"]),
      url: z.string().nullable(),
      skipped: z.array(
        z.object({
          kind: z.enum(["animation", "video"]),
          host: z.string(),
          reason: z.enum(["host_not_allowed", "invalid_url"]),
        }),
      ),
    }),
  })
  .openapi("Display");

export const tokenTraitSchema = z
  .object({
    trait_type: z.string(),
    display_type: z.enum(displayTypes),
    value: z.union([z.string(), z.number(), z.boolean()]),
    max_value: z.number().nullable(),
    count: z.number(),
    percentage: z.number(),
  })
  .openapi("TokenTrait");

export const tokenSchema = z
  .object({
    chain_id: z.number(),
    collection_address: z.string(),
    token_id: z.string(),
    standard: z.enum(["erc721", "erc1155"]).nullable(),
    owner: z.string().nullable().optional(),
    supply: z.string().nullable().optional(),
    burned: z.boolean(),
    name: z.string().nullable(),
    description: z.string().nullable(),
    image: z.object({
      status: z.enum(["cached", "pending", "rejected", "none"]),
      url: z.string().nullable(),
      reason: z.string().nullable(),
    }),
    display: displaySchema,
    traits: z.array(tokenTraitSchema),
    property_groups: z.array(z.object({ category: z.string(), traits: z.array(z.string()) })),
    lock: z.object({
      locked: z.boolean(),
      lock_count: z.number(),
      approved_contracts: z.array(z.string()),
      since_block: z.number().nullable(),
    }),
    tradable: z.boolean(),
    metadata: z.object({
      status: z.enum(["none", "pending", "current", "failed"]),
      reason: z.string().nullable(),
      version: z.number().nullable(),
      content_hash: z.string().nullable(),
      fetched_at: z.string().nullable(),
      issues: z.array(issueSchema),
    }),
  })
  .openapi("Token");

export type TokenView = z.infer<typeof tokenSchema>;

export interface TokenParts {
  readonly collection: CollectionConfig;
  readonly tokenId: string;
  readonly chain: TokenOnChain | undefined;
  readonly served: ServedMetadata | undefined;
  readonly isQueued: boolean;
  readonly imageUrl: string | null;
  readonly display: Display;
  readonly distribution: Distribution;
}

/** How often each value occurs, out of how many tokens with metadata, and the highest value per number trait. */
export interface Distribution {
  readonly counts: readonly { readonly traitType: string; readonly value: string; readonly count: number }[];
  readonly total: number;
  readonly highest: ReadonlyMap<string, number>;
}

export function viewToken(parts: TokenParts): TokenView {
  const { collection, tokenId, chain, served, imageUrl, display } = parts;
  const standard = chain?.standard ?? collection.standard ?? null;
  const metadata = served?.metadata;
  return {
    chain_id: collection.chainId,
    collection_address: collection.address,
    token_id: tokenId,
    standard,
    ...(standard === "erc1155" ? { supply: chain?.supply ?? null } : { owner: chain?.owner ?? null }),
    burned: chain?.burned ?? false,
    name: metadata?.name ?? null,
    description: metadata?.description ?? null,
    image: { status: imageUrl === null ? "none" : "pending", url: imageUrl, reason: null },
    display: viewDisplay(display),
    traits: viewTraits(metadata?.traits ?? [], parts.distribution),
    property_groups: defaultGroups(metadata?.traits ?? []).map((group) => ({
      ...group,
      traits: [...group.traits],
    })),
    lock: {
      locked: isLocked(chain?.lockCount ?? 0),
      lock_count: chain?.lockCount ?? 0,
      approved_contracts: [...(chain?.approvedContracts ?? [])],
      since_block: chain?.lockedSinceBlock ?? null,
    },
    tradable: chain?.tradable ?? false,
    metadata: {
      status:
        (served?.status ?? "none") === "none" && parts.isQueued ? "pending" : (served?.status ?? "none"),
      reason: served?.reason ?? null,
      version: served?.version ?? null,
      content_hash: served?.contentHash ?? null,
      fetched_at: served?.fetchedAt?.toISOString() ?? null,
      issues: [...(served?.issues ?? [])],
    },
  };
}

export const viewDisplay = ({ collection_page, token_page }: Display): z.infer<typeof displaySchema> => ({
  collection_page,
  token_page: { ...token_page, skipped: [...token_page.skipped] },
});

function viewTraits(traits: readonly Trait[], { counts, total, highest }: Distribution): TokenView["traits"] {
  const countByValue = new Map(
    counts.map((each) => [JSON.stringify([each.traitType, each.value]), each.count]),
  );
  return traits.map((trait) => {
    const count = countByValue.get(JSON.stringify([trait.trait_type, valueText(trait.value)])) ?? 0;
    const ceiling =
      trait.display_type === "number" ? (trait.max_value ?? highest.get(trait.trait_type) ?? null) : null;
    return {
      trait_type: trait.trait_type,
      display_type: trait.display_type,
      value: trait.value,
      max_value: ceiling,
      count,
      percentage: total === 0 ? 0 : (count / total) * 100,
    };
  });
}
