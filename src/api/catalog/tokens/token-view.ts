/** A token's response shape on every route, and its documented schema. */

import { z } from "@hono/zod-openapi";
import type { CollectionConfig } from "../../../config.ts";
import { isLocked } from "../../../domain/lock-count.ts";
import { lockStandardNames } from "../../../domain/lock-standards.ts";
import type { Display } from "../../media/display/display.ts";
import { skipReasons } from "../../media/rules.ts";
import type { ShownImage } from "../../media/service.ts";
import type { Trait } from "../../metadata/document/traits.ts";
import type { ServedMetadata } from "../../metadata/records/store.ts";
import { displayTypes, valueText } from "../../metadata/rules.ts";
import { percentageOf } from "../../search/rules.ts";
import type { TokenRarity, TraitCounts } from "../../search/service.ts";
import type { TokenOnChain } from "../../trading/service.ts";
import type { TraitGroup } from "../information/trait-groups.ts";
import { type TokenIssue, tokenIssueSchema } from "./token-issues.ts";

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
          reason: z.enum(skipReasons),
          message: z.string().optional().openapi({ description: "Details, if the media was checked." }),
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
    count: z.number().openapi({ description: "Listed tokens of the collection with this value." }),
    percentage: z.number().openapi({
      description:
        "Share of all listed tokens of the collection, 0 to 100, with or without metadata. A token is listed if a transfer of it is indexed and it is not burned. The distribution has the same base.",
    }),
  })
  .openapi("TokenTrait");

const raritySchema = z
  .object({
    rank: z.number().openapi({
      description: "From 1, the rarest. Tokens of the same score share a rank.",
      example: 12,
    }),
    score: z.number().openapi({
      description: "Information content by the entropy of the collection, after OpenRarity.",
      example: 1.84,
    }),
    of: z.number().openapi({ description: "The number of ranked tokens: all that are listed." }),
  })
  .nullable()
  .openapi({
    description:
      "Over shown string and boolean traits, the lack of a trait included. Null for a token that is not listed, and where no listed token has such a trait.",
  });

export const tokenSchema = z
  .object({
    chain_id: z.number(),
    collection_address: z.string(),
    token_id: z.string(),
    standard: z.enum(["erc721", "erc1155"]).nullable(),
    owner: z.string().nullable().optional(),
    supply: z.string().nullable().optional(),
    burned: z.boolean().openapi({ description: "Burned tokens have an answer but are not listed." }),
    name: z.string().nullable(),
    description: z.string().nullable(),
    image: z.object({
      status: z.enum(["cached", "pending", "rejected", "none"]),
      url: z.string().nullable(),
      reason: z.string().nullable(),
      width: z.number().nullable().openapi({
        description: "Of the source, in pixels, as displayed; null while unknown, like the next three.",
      }),
      height: z.number().nullable(),
      bytes: z.number().nullable(),
      format: z.string().nullable().openapi({ description: "By content.", example: "PNG" }),
      placeholder: z.string().nullable().openapi({
        description: "A thumbhash of the cached image in base64, to show until it has loaded.",
        example: "1QcSHQRnh493V4dIh4eXh1h4kJUI",
      }),
      variants: z
        .array(
          z.object({
            type: z.string().openapi({ example: "image/webp" }),
            width: z.number(),
            height: z.number(),
            bytes: z.number(),
            url: z.string(),
          }),
        )
        .openapi({
          description: "The cached image in fewer bytes, largest first. Empty where none takes fewer.",
        }),
    }),
    display: displaySchema,
    traits: z.array(tokenTraitSchema),
    property_groups: z.array(z.object({ category: z.string(), traits: z.array(z.string()) })),
    rarity: raritySchema,
    lock: z
      .object({
        locked: z.boolean(),
        lock_count: z.number().openapi({
          description: "ERC-721x locks, plus one for each other standard that locks the token.",
        }),
        standards: z
          .array(z.enum(lockStandardNames))
          .openapi({ description: "The standards that lock it now." }),
        approved_contracts: z.array(z.string()).openapi({
          description:
            "The contracts that the lock events of `standards` name, those of the oldest locks first: at most 100, from the token's newest 1,000 lock events. `lock_count` counts all.",
        }),
        since_block: z.number().nullable(),
      })
      .openapi({
        description:
          "The current state in the chain index. For a token that is not indexed yet, `locked` and `tradable` are false.",
      }),
    tradable: z.boolean().openapi({
      description:
        "True only if the chain index is fresh, the token is indexed and neither burned nor locked, and trade of its collection is open. Based on events only: paused contracts, expired names and transfer policies are not considered. Trade checks with `verify` consider them.",
    }),
    opens_at: z.string().nullable().openapi({
      format: "date-time",
      description:
        "When trade of the collection opens; null once it is open, and for a token that is not indexed yet.",
    }),
    metadata: z.object({
      status: z.enum(["none", "pending", "current", "failed"]),
      reason: z.string().nullable(),
      version: z.number().nullable(),
      content_hash: z.string().nullable(),
      verified: z.enum(["cid"]).nullable().openapi({
        description:
          "`cid` if the bytes of the served document have the hash that their IPFS URI names. null if they could not be verified: of a document at an http URL, or from a gateway that gives no blocks.",
      }),
      fetched_at: z.string().nullable(),
      issues: z.array(tokenIssueSchema),
    }),
  })
  .openapi("Token");

export type TokenView = z.infer<typeof tokenSchema>;

/** A token in a list that may be grouped. */
export const listedSchema = tokenSchema
  .extend({
    count: z.number().optional().openapi({
      description: "With `group=document`: the matching tokens of the same document, this one included.",
    }),
  })
  .openapi("ListedToken");

export type ListedView = z.infer<typeof listedSchema>;

export interface TokenParts {
  readonly collection: CollectionConfig;
  readonly tokenId: string;
  /** Without the block that the index has reached, which changes while the token does not. */
  readonly chain: Omit<TokenOnChain, "indexed"> | undefined;
  readonly served: ServedMetadata | undefined;
  readonly isQueued: boolean;
  readonly image: ShownImage;
  readonly display: Display;
  readonly issues: readonly TokenIssue[];
  readonly counted: CountedTraits;
  readonly propertyGroups: readonly TraitGroup[];
}

/** A token's own traits with their counts, and its rank. */
export interface CountedTraits {
  readonly traits: readonly TokenView["traits"][number][];
  readonly rarity: TokenRarity | null;
}

/** Lookups over `TraitCounts`, built once for all tokens of a page. */
export interface Distribution {
  readonly countOf: (trait: Trait) => number;
  /** Whether the trait has been counted. */
  readonly has: (trait: Trait) => boolean;
  /** By token id. */
  readonly rarity: TraitCounts["rarity"];
  /** The number of listed tokens. */
  readonly total: number;
  /** The highest value of each number trait so far. */
  readonly highest: ReadonlyMap<string, number>;
}

export function createDistribution({ counts, total, highest, rarity }: TraitCounts): Distribution {
  const byType = new Map<string, Map<string, number>>();
  for (const { traitType, value, count } of counts) {
    const values = byType.get(traitType) ?? new Map<string, number>();
    byType.set(traitType, values.set(value, count));
  }
  const find = (trait: Trait) => byType.get(trait.trait_type)?.get(valueText(trait.value));
  return {
    countOf: (trait) => find(trait) ?? 0,
    has: (trait) => find(trait) !== undefined,
    rarity,
    total,
    highest,
  };
}

export function viewToken(parts: TokenParts): TokenView {
  const { chain, image, display, counted } = parts;
  return {
    ...viewIdentity(parts),
    image: { ...image, variants: [...image.variants] },
    display: viewDisplay(display),
    traits: counted.traits.map((trait) => ({ ...trait })),
    property_groups: parts.propertyGroups.map((group) => ({ ...group, traits: [...group.traits] })),
    rarity: counted.rarity && { ...counted.rarity },
    lock: viewLock(chain),
    tradable: chain?.tradable ?? false,
    opens_at: chain?.opensAt?.toISOString() ?? null,
    metadata: { ...viewFetch(parts), issues: [...parts.issues] },
  };
}

type Known = Pick<TokenParts, "collection" | "tokenId" | "served" | "isQueued"> & {
  readonly chain: Omit<TokenOnChain, "tradable" | "fresh" | "indexed"> | undefined;
};

/** What identifies and names a token. */
export function viewIdentity({ collection, tokenId, chain, served }: Known) {
  const standard = chain?.standard ?? collection.standard ?? null;
  return {
    chain_id: collection.chainId,
    collection_address: collection.address,
    token_id: tokenId,
    standard,
    ...(standard === "erc1155" ? { supply: chain?.supply ?? null } : { owner: chain?.owner ?? null }),
    burned: chain?.burned ?? false,
    name: served?.metadata?.name ?? null,
    description: served?.metadata?.description ?? null,
  };
}

export const viewLock = (chain: Known["chain"]): TokenView["lock"] => ({
  locked: isLocked(chain?.lockCount ?? 0),
  lock_count: chain?.lockCount ?? 0,
  standards: [...(chain?.lockStandards ?? [])],
  approved_contracts: [...(chain?.approvedContracts ?? [])],
  since_block: chain?.lockedSinceBlock ?? null,
});

/** The token's metadata state without its issues. Nothing is pending of a burned token: its recheck fetches nothing. */
export function viewFetch({
  served,
  isQueued,
  chain,
}: Pick<Known, "served" | "isQueued" | "chain">): Omit<TokenView["metadata"], "issues"> {
  const status = served?.status ?? "none";
  return {
    status: status === "none" && isQueued && !chain?.burned ? "pending" : status,
    reason: served?.reason ?? null,
    version: served?.version ?? null,
    content_hash: served?.contentHash ?? null,
    verified: served?.verified ?? null,
    fetched_at: served?.fetchedAt?.toISOString() ?? null,
  };
}

export const viewDisplay = ({ collection_page, token_page }: Display): z.infer<typeof displaySchema> => ({
  collection_page,
  token_page: { ...token_page, skipped: [...token_page.skipped] },
});

/** Undefined if not all of the token's traits were counted. */
export const countIfComplete = (
  tokenId: string,
  traits: readonly Trait[],
  distribution: Distribution,
): CountedTraits | undefined =>
  traits.every(distribution.has) ? countToken(tokenId, traits, distribution) : undefined;

/** A trait that was not counted has no listed token. */
export function countToken(
  tokenId: string,
  traits: readonly Trait[],
  { countOf, total, highest, rarity }: Distribution,
): CountedTraits {
  const counted = traits.map((trait) => {
    const count = countOf(trait);
    const ceiling =
      trait.display_type === "number" ? (trait.max_value ?? highest.get(trait.trait_type) ?? null) : null;
    return {
      trait_type: trait.trait_type,
      display_type: trait.display_type,
      value: trait.value,
      max_value: ceiling,
      count,
      percentage: percentageOf(count, total),
    };
  });
  return { traits: counted, rarity: rarity.get(tokenId) ?? null };
}
