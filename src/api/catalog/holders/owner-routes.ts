/** Route for the owners of a collection. */

import { createRoute, z } from "@hono/zod-openapi";
import { clip } from "../../../domain/printable.ts";
import { errorResponses } from "../../http/error-responses.ts";
import { chainIdField, collectionNameField, limitField } from "../../http/fields.ts";
import { jsonAnswer } from "../../http/json-content.ts";
import { cursorField } from "../../http/page-cursor.ts";
import { createRouter } from "../../http/router.ts";
import type { Collections } from "../collections.ts";
import type { OwnersService } from "./owners.ts";

export const blockField = z
  .string()
  .regex(/^(0|[1-9][0-9]{0,14})$/, {
    error: (issue) => `must be a block number; it is "${clip(String(issue.input))}"`,
  })
  .transform(Number)
  .optional()
  .openapi({
    type: "integer",
    minimum: 0,
    description: "The owners at the end of this block, which must be indexed; without it, the current ones.",
  });

const pageSchema = z
  .object({
    items: z.array(
      z.object({
        owner: z.string(),
        quantity: z
          .string()
          .openapi({ description: "ERC-721: the number of tokens. ERC-1155: the sum of the balances." }),
      }),
    ),
    next_cursor: z.string().nullable().openapi({ description: "Null after the last page." }),
    total: z.number().openapi({ description: "The number of owners on all pages." }),
    as_of_block: z
      .number()
      .nullable()
      .openapi({ description: "`at_block`, or the newest indexed block; null before there is any." }),
  })
  .openapi("OwnerPage");

const ownersRoute = createRoute({
  method: "get",
  path: "/collections/{collection_address}/owners",
  operationId: "getOwners",
  tags: ["market"],
  security: [{ ApiKeyAuth: [] }],
  summary: "The owners of a collection with quantities, now or at a block",
  description:
    "Largest first, and by address where quantities are equal. `at_block` goes by the transfers from the first indexed block on. While tokens move, an owner whose quantity changes may be on two pages or on none; pages of an `at_block` are exact once the block is final.",
  request: {
    params: z.object({ collection_address: collectionNameField }),
    query: z.object({
      chain_id: chainIdField,
      at_block: blockField,
      limit: limitField,
      cursor: cursorField,
    }),
  },
  responses: {
    200: jsonAnswer("A page of owners", pageSchema),
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

export interface OwnerRouteDeps {
  readonly collections: Pick<Collections, "findNamed">;
  readonly owners: OwnersService;
}

export function ownerRoutes({ collections, owners }: OwnerRouteDeps) {
  return createRouter().openapi(ownersRoute, async (c) => {
    const { chain_id, at_block: atBlock, ...page } = c.req.valid("query");
    const collection = await collections.findNamed(c.req.valid("param").collection_address, chain_id);
    const { items, nextCursor, total, asOfBlock } = await owners.page(collection, { atBlock, ...page });
    return c.json({ items: [...items], next_cursor: nextCursor, total, as_of_block: asOfBlock }, 200);
  });
}
