/** Route for the tokens of a wallet. */

import { createRoute, z } from "@hono/zod-openapi";
import { recordSchema } from "../../delegation/rules.ts";
import { errorResponses } from "../../http/error-responses.ts";
import {
  addressField,
  booleanField,
  chainIdField,
  collectionNameField,
  limitField,
} from "../../http/fields.ts";
import { jsonAnswer } from "../../http/json-content.ts";
import { cursorField } from "../../http/page-cursor.ts";
import { createRouter } from "../../http/router.ts";
import type { Collections } from "../collections.ts";
import { tokenSchema } from "../tokens/token-view.ts";
import type { WalletTokens } from "./wallet-tokens.ts";

const pageSchema = z
  .object({
    items: z.array(
      z.object({
        token: tokenSchema,
        quantity: z.string().openapi({
          description:
            "1 for ERC-721, for ERC-1155 the balance of `holder`, even where `via.amount` is smaller.",
        }),
        holder: z.string().openapi({ description: "The wallet, or who delegated the token to it." }),
        via: z.union([recordSchema, z.null()]).openapi({
          description:
            "The delegation that lets the wallet use the token; null for its own tokens. Its `amount`, if not null, bounds how much of the holder's balance the wallet may act for.",
        }),
      }),
    ),
    next_cursor: z.string().nullable().openapi({ description: "Null after the last page." }),
    total: z.number().openapi({ description: "The number of entries on all pages." }),
  })
  .openapi("WalletTokenPage");

const tokensRoute = createRoute({
  method: "get",
  path: "/wallets/{address}/tokens",
  operationId: "getWalletTokens",
  tags: ["market"],
  security: [{ ApiKeyAuth: [] }],
  summary: "A wallet's tokens over all collections, with those that it may use by delegation",
  description:
    "The wallet's own tokens come first, by chain, collection and token id. With `include_delegated=true` those follow that holders delegated to it without limits on rights, in the delegate registries that are indexed here; trade checks accept the wallet for the same tokens. A page may have fewer tokens than the limit: documents of more than 8 MiB together come on several pages.",
  request: {
    params: z.object({ address: addressField }),
    query: z.object({
      chain_id: chainIdField.openapi({ description: "The chain; without it, all." }),
      collection_address: collectionNameField
        .optional()
        .openapi({ description: "Without it, all collections." }),
      include_delegated: booleanField.openapi({ description: "false by default" }),
      limit: limitField,
      cursor: cursorField,
    }),
  },
  responses: {
    200: jsonAnswer("A page of tokens", pageSchema),
    ...errorResponses(
      "INVALID_REQUEST",
      "KEY_MISSING",
      "KEY_INVALID",
      "NOT_ALLOWED",
      "COLLECTION_NOT_FOUND",
      "UNAVAILABLE",
    ),
  },
});

export interface WalletTokenRouteDeps {
  readonly collections: Pick<Collections, "among">;
  readonly walletTokens: WalletTokens;
}

export function walletTokenRoutes({ collections, walletTokens }: WalletTokenRouteDeps) {
  return createRouter().openapi(tokensRoute, async (c) => {
    const { chain_id, collection_address, include_delegated, ...page } = c.req.valid("query");
    const { items, nextCursor, total } = await walletTokens.page(c.req.valid("param").address, {
      ...page,
      collections: await collections.among(collection_address, chain_id),
      includeDelegated: include_delegated === "true",
    });
    return c.json({ items: [...items], next_cursor: nextCursor, total }, 200);
  });
}
