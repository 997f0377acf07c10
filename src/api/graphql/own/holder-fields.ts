/** Many tokens at once, owners, the tokens of a wallet, and activity over GraphQL: the REST answers with camelCase keys. */

import { z } from "@hono/zod-openapi";
import type { Collections } from "../../catalog/collections.ts";
import {
  activityTypes,
  type CatalogModule,
  refsOf,
  viewActivityPage,
  walletTypes,
} from "../../catalog/module.ts";
import { ApiError } from "../../http/errors.ts";
import { addressField, collectionNameField } from "../../http/fields.ts";
import { cursorField } from "../../http/page-cursor.ts";
import { tokenIdsField } from "../../refresh/rules.ts";
import type { Caller } from "../routes.ts";
import {
  chainIdArgument,
  collectionArguments,
  intArgument,
  limitArgument,
  listArgument,
  readArguments,
  tokenArguments,
} from "./arguments.ts";
import { camelKeys } from "./camel-keys.ts";

/** An absent argument and null are the same. */
const orAbsent = <Value>(value: Value | null | undefined): Value | undefined => value ?? undefined;

const pageArguments = { limit: limitArgument, cursor: cursorField.nullish().transform(orAbsent) };

// Repeated ones included.
const TYPES_MAX = 100;
const typesArgument = <Type extends string>(types: readonly [Type, ...Type[]]) =>
  listArgument(z.enum(types), TYPES_MAX, "types")
    .refine((named) => named.length > 0, { error: "must name at least one type" })
    .nullish()
    .transform((named) => (named ? [...new Set(named)] : undefined));

const batchArguments = z.object({ ...collectionArguments, tokenIds: tokenIdsField });
const ownersArguments = z.object({
  ...collectionArguments,
  atBlock: intArgument(0, Number.MAX_SAFE_INTEGER)
    .refine(Number.isInteger, { error: (issue) => `must be a block number; it is ${issue.input}` })
    .nullish()
    .transform(orAbsent),
  ...pageArguments,
});
const walletTokensArguments = z.object({
  address: addressField,
  chainId: chainIdArgument,
  tokenAddress: collectionNameField.nullish(),
  includeDelegated: z.boolean().nullish(),
  ...pageArguments,
});
const tokenActivityArguments = tokenArguments.extend({
  types: typesArgument(activityTypes),
  ...pageArguments,
});
const collectionActivityArguments = z.object({
  ...collectionArguments,
  types: typesArgument(activityTypes),
  ...pageArguments,
});
const walletActivityArguments = z.object({
  address: addressField,
  chainId: chainIdArgument,
  types: typesArgument(walletTypes),
  ...pageArguments,
});

export interface HolderFieldDeps
  extends Pick<CatalogModule, "activity" | "catalog" | "owners" | "walletTokens"> {
  readonly collections: Collections;
}

export function createHolderFields({
  activity,
  catalog,
  collections,
  owners,
  walletTokens,
}: HolderFieldDeps) {
  return {
    async tokenBatch(args: z.input<typeof batchArguments>, caller: Caller) {
      const { tokenAddress, chainId, tokenIds } = readArguments(batchArguments, args);
      const collection = await collections.findNamed(tokenAddress, chainId);
      await catalog.requireFitting([{ collection, tokenIds }], "tokenIds");
      await catalog.requireFit(caller, refsOf(collection, tokenIds));
      return camelKeys(await catalog.findTokens(collection, tokenIds));
    },

    async owners(args: z.input<typeof ownersArguments>) {
      const { tokenAddress, chainId, ...query } = readArguments(ownersArguments, args);
      return owners.page(await collections.findNamed(tokenAddress, chainId), query);
    },

    async walletTokens(args: z.input<typeof walletTokensArguments>, caller: Caller) {
      const { address, chainId, tokenAddress, includeDelegated, ...page } = readArguments(
        walletTokensArguments,
        args,
      );
      const found = await walletTokens.page(address, {
        ...page,
        collections: await collections.among(tokenAddress ?? undefined, chainId),
        includeDelegated: includeDelegated ?? false,
        countReadable: (tokens) => catalog.fitList(caller, tokens),
      });
      return camelKeys(found);
    },

    async tokenActivity(args: z.input<typeof tokenActivityArguments>) {
      const { tokenAddress, chainId, tokenId, ...query } = readArguments(tokenActivityArguments, args);
      const collection = await collections.findNamed(tokenAddress, chainId);
      if (!(await catalog.hasToken(collection, tokenId))) throw new ApiError("TOKEN_NOT_FOUND");
      const { chainId: chain, address } = collection;
      const found = await activity.page({ of: "token", chainId: chain, address, tokenId }, query);
      return camelKeys(viewActivityPage(found));
    },

    async collectionActivity(args: z.input<typeof collectionActivityArguments>) {
      const { tokenAddress, chainId, ...query } = readArguments(collectionActivityArguments, args);
      const { chainId: chain, address } = await collections.findNamed(tokenAddress, chainId);
      const found = await activity.page({ of: "collection", chainId: chain, address }, query);
      return camelKeys(viewActivityPage(found));
    },

    async walletActivity(args: z.input<typeof walletActivityArguments>) {
      const { address: wallet, chainId, ...query } = readArguments(walletActivityArguments, args);
      const chainIds = collections.chainIds(chainId);
      const found = await activity.page({ of: "wallet", chainIds, wallet }, query);
      return camelKeys(viewActivityPage(found));
    },
  };
}
