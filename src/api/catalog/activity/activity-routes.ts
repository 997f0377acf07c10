/** Routes for the activity of a token, a collection and a wallet. */

import { createRoute, z } from "@hono/zod-openapi";
import { clip } from "../../../domain/printable.ts";
import { errorResponses } from "../../http/error-responses.ts";
import { ApiError } from "../../http/errors.ts";
import {
  addressField,
  chainIdField,
  collectionNameField,
  limitField,
  tokenIdField,
} from "../../http/fields.ts";
import { jsonAnswer } from "../../http/json-content.ts";
import { cursorField } from "../../http/page-cursor.ts";
import { createRouter } from "../../http/router.ts";
import type { Collections } from "../collections.ts";
import type { Catalog } from "../service.ts";
import {
  type Activity,
  type ActivityPage,
  type ActivityService,
  type ActivityType,
  activityTypes,
  walletTypes,
} from "./activity.ts";

const typesField = (types: readonly ActivityType[]) =>
  z
    .string()
    .transform((text, context): readonly ActivityType[] => {
      const named = [...new Set(text.split(","))];
      const unknown = named.filter((name) => !types.some((type) => type === name));
      for (const name of unknown)
        context.addIssue({ code: "custom", message: `"${clip(name)}" is none of ${types.join(", ")}` });
      return types.filter((type) => named.includes(type));
    })
    .optional()
    .openapi({
      type: "string",
      example: "mint,transfer",
      description: `One or more of ${types.join(", ")}, separated by commas; without it, all.`,
    });

const itemSchema = z
  .object({
    type: z.enum(activityTypes),
    chain_id: z.number(),
    collection_address: z.string(),
    token_id: z.string().nullable().openapi({
      description: "null for a lock or unlock of all tokens without a lock event of their own (ERC-6982).",
    }),
    last_token_id: z.string().nullable().openapi({
      description:
        "In a collection or a wallet, the last token of a mint of many that the chain logged once.",
    }),
    from: z.string().nullable().openapi({ description: "null except for mint, transfer and burn." }),
    to: z.string().nullable(),
    quantity: z.string().nullable().openapi({ description: "Number of tokens; null as `from`." }),
    block: z
      .number()
      .nullable()
      .openapi({ description: "For metadata, the block at which the contract was read." }),
    at: z
      .string()
      .openapi({ format: "date-time", description: "The block's time; for metadata, when it was read." }),
    transaction_hash: z.string().nullable().openapi({ description: "null for metadata." }),
  })
  .openapi("Activity");

const pageSchema = z
  .object({
    items: z.array(itemSchema),
    next_cursor: z.string().nullable().openapi({ description: "Null after the last page." }),
  })
  .openapi("ActivityPage");

const shared = { method: "get" as const, tags: ["market"], security: [{ ApiKeyAuth: [] }] };
const description =
  "Newest first. A page starts where the previous one ended, even if more has happened since. `metadata` is a new document of a token, kept for 90 days or while it is served.";
const answer = {
  200: jsonAnswer("A page of activity", pageSchema),
};
const errors = ["INVALID_REQUEST", "KEY_MISSING", "KEY_INVALID", "NOT_ALLOWED"] as const;
const query = z.object({
  chain_id: chainIdField,
  type: typesField(activityTypes),
  limit: limitField,
  cursor: cursorField,
});

const tokenRoute = createRoute({
  ...shared,
  path: "/collections/{collection_address}/tokens/{token_id}/activity",
  operationId: "getTokenActivity",
  summary: "Mints, transfers, burns, locks, unlocks and metadata changes of a token",
  description: `${description} A collection's lock default is not among its tokens' locks.`,
  request: { params: z.object({ collection_address: collectionNameField, token_id: tokenIdField }), query },
  responses: { ...answer, ...errorResponses(...errors, "COLLECTION_NOT_FOUND", "TOKEN_NOT_FOUND") },
});

const collectionRoute = createRoute({
  ...shared,
  path: "/collections/{collection_address}/activity",
  operationId: "getCollectionActivity",
  summary: "Mints, transfers, burns, locks, unlocks and metadata changes in a collection",
  description,
  request: { params: z.object({ collection_address: collectionNameField }), query },
  responses: { ...answer, ...errorResponses(...errors, "COLLECTION_NOT_FOUND") },
});

const walletRoute = createRoute({
  ...shared,
  path: "/wallets/{address}/activity",
  operationId: "getWalletActivity",
  summary: "Mints, transfers, burns, locks and unlocks of a wallet's tokens",
  description:
    "What the wallet sent and received, and the locks and unlocks of ERC-721 tokens while it owned them, in all collections. Newest first. A page starts where the previous one ended, even if more has happened since.",
  request: {
    params: z.object({ address: addressField }),
    query: query.extend({
      chain_id: chainIdField.openapi({ description: "The chain; without it, all." }),
      type: typesField(walletTypes),
    }),
  },
  responses: { ...answer, ...errorResponses(...errors) },
});

export interface ActivityRouteDeps {
  readonly collections: Pick<Collections, "findNamed" | "chainIds">;
  readonly catalog: Pick<Catalog, "hasToken">;
  readonly activity: ActivityService;
}

export function activityRoutes({ collections, catalog, activity }: ActivityRouteDeps) {
  return createRouter()
    .openapi(tokenRoute, async (c) => {
      const { collection_address, token_id: tokenId } = c.req.valid("param");
      const { chain_id, type: types, ...page } = c.req.valid("query");
      const collection = await collections.findNamed(collection_address, chain_id);
      if (!(await catalog.hasToken(collection, tokenId))) throw new ApiError("TOKEN_NOT_FOUND");
      const { chainId, address } = collection;
      const found = await activity.page({ of: "token", chainId, address, tokenId }, { types, ...page });
      return c.json(viewActivityPage(found), 200);
    })
    .openapi(collectionRoute, async (c) => {
      const { chain_id, type: types, ...page } = c.req.valid("query");
      const { chainId, address } = await collections.findNamed(
        c.req.valid("param").collection_address,
        chain_id,
      );
      const found = await activity.page({ of: "collection", chainId, address }, { types, ...page });
      return c.json(viewActivityPage(found), 200);
    })
    .openapi(walletRoute, async (c) => {
      const { address: wallet } = c.req.valid("param");
      const { chain_id, type: types, ...page } = c.req.valid("query");
      const chainIds = collections.chainIds(chain_id);
      const found = await activity.page({ of: "wallet", chainIds, wallet }, { types, ...page });
      return c.json(viewActivityPage(found), 200);
    });
}

/** A page of activity as every route returns it. */
export const viewActivityPage = ({ items, nextCursor }: ActivityPage): z.infer<typeof pageSchema> => ({
  items: items.map(viewItem),
  next_cursor: nextCursor,
});

const viewItem = (item: Activity): z.infer<typeof itemSchema> => ({
  type: item.type,
  chain_id: item.chainId,
  collection_address: item.collection,
  token_id: item.tokenId,
  last_token_id: item.lastTokenId,
  from: item.from,
  to: item.to,
  quantity: item.quantity,
  block: item.block,
  at: item.at.toISOString(),
  transaction_hash: item.transactionHash,
});
