/** Vitrine's root fields: each parses its arguments, calls one service and shapes the answer. */

import type { z } from "@hono/zod-openapi";
import type { Collections } from "../../catalog/collections.ts";
import { type CatalogModule, refsOf } from "../../catalog/module.ts";
import { refusalOf } from "../../refresh/rules.ts";
import type { RefreshService } from "../../refresh/service.ts";
import type { Search } from "../../search/service.ts";
import type { Caller } from "../routes.ts";
import { orderFields } from "../sdk/order-fields.ts";
import { createSdkFields } from "../sdk/sdk-fields.ts";
import { readArguments, tokenArguments } from "./arguments.ts";
import { camelKeys } from "./camel-keys.ts";
import { createHolderFields } from "./holder-fields.ts";
import { createRefreshFields } from "./refresh-fields.ts";
import { createSearchFields } from "./search-fields.ts";

export interface ResolverDeps extends CatalogModule {
  readonly collections: Collections;
  readonly refresh: RefreshService;
  readonly search: Pick<Search, "page" | "facets" | "completeValues">;
}

type TokenArguments = z.input<typeof tokenArguments>;

export function createResolvers(deps: ResolverDeps) {
  const { collections, catalog, refresh } = deps;
  const { metadataRefresh, requestMetadataRefresh } = createRefreshFields({ collections, refresh });

  return {
    Query: {
      ...createSdkFields(deps),
      ...orderFields,
      ...createSearchFields(deps),
      ...createHolderFields(deps),
      metadataRefresh,
      token: async (args: TokenArguments, caller: Caller) => {
        const { tokenAddress, tokenId, chainId } = readArguments(tokenArguments, args);
        const collection = await collections.findNamed(tokenAddress, chainId);
        await catalog.requireFit(caller, refsOf(collection, [tokenId]));
        const token = await catalog.findToken(collection, tokenId);
        return token ? camelKeys(token) : null;
      },
    },
    Mutation: {
      requestMetadataRefresh,
      refreshMetadata: async (args: TokenArguments, { client, cure, requestId }: Caller) => {
        const { tokenAddress, tokenId, chainId } = readArguments(tokenArguments, args);
        const collection = await collections.findNamed(tokenAddress, chainId);
        const { tokens } = await refresh.request(collection, [tokenId], {
          trigger: "graphql",
          client,
          cure,
          requestId,
        });
        if (tokens.some(({ status }) => status !== "queued")) throw refusalOf(tokens, () => "tokenId");
        return true;
      },
    },
  };
}
