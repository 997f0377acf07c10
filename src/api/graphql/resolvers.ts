/** Vitrine's root fields: each reads its arguments, asks one service and shapes the answer. */

import { parseAddress, parseTokenId } from "../../domain/token-ref.ts";
import type { Collections } from "../catalog/collections.ts";
import type { Catalog } from "../catalog/service.ts";
import type { TokenView } from "../catalog/token-view.ts";
import { ApiError, type ErrorDetail } from "../contract/errors.ts";
import { clip } from "../contract/fields.ts";
import { valueText } from "../metadata/traits.ts";
import type { RefreshService } from "../refresh/service.ts";

interface TokenArguments {
  readonly tokenAddress: string;
  /** BigDecimal arguments arrive as any literal. */
  readonly tokenId: unknown;
  readonly chainId?: number | null;
}

export interface ResolverDeps {
  readonly collections: Collections;
  readonly catalog: Catalog;
  readonly refresh: RefreshService;
}

export function createResolvers({ collections, catalog, refresh }: ResolverDeps) {
  const find = async (args: TokenArguments): Promise<TokenView | undefined> => {
    const { address, tokenId, chainId } = readArguments(args);
    return catalog.findToken(collections.find(address, chainId), tokenId);
  };

  return {
    Query: {
      token: async (args: TokenArguments) => {
        const token = await find(args);
        return token ? camelKeys(token) : null;
      },
      erc721Token: async (args: TokenArguments) => {
        const token = await find(args);
        return token?.standard === "erc721" ? { ...sdkToken(token), owner: token.owner } : null;
      },
      erc1155Token: async (args: TokenArguments) => {
        const token = await find(args);
        return token?.standard === "erc1155" ? { ...sdkToken(token), totalItems: token.supply } : null;
      },
    },
    Mutation: {
      refreshMetadata: async (args: TokenArguments) => {
        const { address, tokenId, chainId } = readArguments(args);
        const collection = collections.find(address, chainId);
        const { tokens } = await refresh.request(collection, [tokenId], {
          trigger: "graphql",
          anonymous: true,
        });
        if (tokens.every(({ status }) => status === "not_found")) throw new ApiError("TOKEN_NOT_FOUND");
        return true;
      },
    },
  };
}

/** Throws INVALID_REQUEST that names each argument at fault. */
function readArguments(args: TokenArguments): {
  address: string;
  tokenId: string;
  chainId: number | undefined;
} {
  const details: ErrorDetail[] = [];
  const address = parseAddress(args.tokenAddress);
  if (!address)
    details.push({ path: "tokenAddress", message: `"${clip(args.tokenAddress)}" is not an address` });
  const isExact = typeof args.tokenId === "string" || Number.isSafeInteger(args.tokenId);
  const text = String(args.tokenId);
  if (!isExact || parseTokenId(text) === undefined) {
    details.push({
      path: "tokenId",
      message: `"${clip(text)}" is not a token id: a decimal number from 0 to 2^256-1`,
    });
  }
  if (!address || details.length > 0) throw new ApiError("INVALID_REQUEST", details);
  return { address, tokenId: text, chainId: args.chainId ?? undefined };
}

/** The fields that the SDK asks of both standards. */
function sdkToken(token: TokenView) {
  const attributes: Record<string, string[]> = Object.create(null);
  for (const { trait_type, value } of token.traits) {
    const values = attributes[trait_type];
    if (values) values.push(valueText(value));
    else attributes[trait_type] = [valueText(value)];
  }
  return {
    tokenAddress: token.collection_address,
    tokenId: token.token_id,
    name: token.name,
    image: token.image.url,
    cdnImage: token.image.status === "cached" ? token.image.url : null,
    video: token.display.token_page.kind === "video" ? token.display.token_page.url : null,
    isLocked: token.lock.locked,
    attributes,
    traitDistribution: token.traits.map((trait) => ({
      key: trait.trait_type,
      value: valueText(trait.value),
      count: trait.count,
      percentage: trait.percentage,
      displayType: trait.display_type,
    })),
  };
}

/** snake_case keys, at every depth, as GraphQL's camelCase. */
function camelKeys(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(camelKeys);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key.replace(/_([a-z])/g, (_match, letter: string) => letter.toUpperCase()),
      camelKeys(inner),
    ]),
  );
}
