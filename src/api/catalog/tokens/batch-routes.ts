/** Route for many tokens of a collection at once. */

import { createRoute, z } from "@hono/zod-openapi";
import { errorResponses } from "../../http/error-responses.ts";
import { chainIdField, collectionNameField } from "../../http/fields.ts";
import { jsonAnswer, jsonBody } from "../../http/json-content.ts";
import { createRouter, limitBody, requireJson } from "../../http/router.ts";
import { tokenIdsField } from "../../refresh/rules.ts";
import type { Collections } from "../collections.ts";
import type { Catalog } from "../service.ts";
import { tokenSchema } from "./token-view.ts";

// A hundred ids of 78 digits, with room for white space.
const BODY_BYTES_MAX = 64 * 1024;

const batchRoute = createRoute({
  tags: ["market"],
  security: [{ ApiKeyAuth: [] }],
  method: "post",
  path: "/collections/{collection_address}/tokens/batch",
  operationId: "getTokens",
  summary: "Up to 100 tokens of a collection, in the order of their ids",
  description:
    "Each item is the same as from the single-token route. Ids of tokens without an indexed transfer are listed in `missing`. An id that is repeated is answered once. Tokens whose documents have more than 8 MiB together are refused with the number that an answer has room for.",
  middleware: [requireJson, limitBody(BODY_BYTES_MAX)],
  request: {
    params: z.object({ collection_address: collectionNameField }),
    query: z.object({ chain_id: chainIdField }),
    body: jsonBody(z.strictObject({ token_ids: tokenIdsField }).openapi("TokenBatchRequest")),
  },
  responses: {
    200: jsonAnswer(
      "The tokens, and the ids of those that don't exist",
      z
        .object({
          items: z.array(tokenSchema),
          missing: z.array(z.string()).openapi({ description: "Ids without a token." }),
        })
        .openapi("TokenBatch"),
    ),
    ...errorResponses(
      "INVALID_REQUEST",
      "TOO_MANY_TOKENS",
      "KEY_MISSING",
      "KEY_INVALID",
      "NOT_ALLOWED",
      "COLLECTION_NOT_FOUND",
      "BODY_TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
    ),
  },
});

export interface BatchRouteDeps {
  readonly collections: Pick<Collections, "findNamed">;
  readonly catalog: Pick<Catalog, "findTokens" | "requireFitting">;
}

export function batchRoutes({ collections, catalog }: BatchRouteDeps) {
  return createRouter().openapi(batchRoute, async (c) => {
    const { collection_address } = c.req.valid("param");
    const collection = await collections.findNamed(collection_address, c.req.valid("query").chain_id);
    const { token_ids } = c.req.valid("json");
    await catalog.requireFitting([{ collection, tokenIds: token_ids }], "token_ids");
    return c.json(await catalog.findTokens(collection, token_ids), 200);
  });
}
