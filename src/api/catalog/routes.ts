/** Collections and tokens, for any caller with a key. */

import { createRoute, z } from "@hono/zod-openapi";
import { errorResponses } from "../http/error-responses.ts";
import { ApiError } from "../http/errors.ts";
import { chainIdField, collectionNameField, tokenIdField } from "../http/fields.ts";
import { jsonAnswer } from "../http/json-content.ts";
import { allowOnly } from "../http/not-found.ts";
import { createRouter } from "../http/router.ts";
import { type CollectionViewDeps, collectionSchema, viewCollections } from "./collection-view.ts";
import type { Collections } from "./collections.ts";
import type { Catalog } from "./service.ts";
import { tokenSchema } from "./tokens/token-view.ts";

const shared = { tags: ["market"], security: [{ ApiKeyAuth: [] }] };
const keyErrors = ["KEY_MISSING", "KEY_INVALID", "NOT_ALLOWED"] as const;

const listRoute = createRoute({
  ...shared,
  method: "get",
  path: "/collections",
  operationId: "listCollections",
  summary: "The collections served here",
  request: {
    query: z.object({ chain_id: chainIdField.openapi({ description: "The chain; without it, all." }) }),
  },
  responses: {
    200: jsonAnswer("Collections, in the operator's order", z.object({ items: z.array(collectionSchema) })),
    ...errorResponses("INVALID_REQUEST", ...keyErrors),
  },
});

const collectionRoute = createRoute({
  ...shared,
  method: "get",
  path: "/collections/{collection_address}",
  operationId: "getCollection",
  summary: "One collection, with its creators' information",
  request: {
    params: z.object({ collection_address: collectionNameField }),
    query: z.object({ chain_id: chainIdField }),
  },
  responses: {
    200: jsonAnswer("The collection", collectionSchema),
    ...errorResponses("INVALID_REQUEST", ...keyErrors, "COLLECTION_NOT_FOUND"),
  },
});

const tokenRoute = createRoute({
  ...shared,
  method: "get",
  path: "/collections/{collection_address}/tokens/{token_id}",
  operationId: "getToken",
  summary: "A token: metadata, traits, lock state and what each page shows",
  request: {
    params: z.object({ collection_address: collectionNameField, token_id: tokenIdField }),
    query: z.object({ chain_id: chainIdField }),
  },
  responses: {
    200: jsonAnswer("The token", tokenSchema),
    ...errorResponses("INVALID_REQUEST", ...keyErrors, "COLLECTION_NOT_FOUND", "TOKEN_NOT_FOUND"),
  },
});

export interface CatalogRouteDeps extends CollectionViewDeps {
  readonly collections: Collections;
  readonly catalog: Pick<Catalog, "findToken">;
}

export function catalogRoutes({ collections, catalog, ...deps }: CatalogRouteDeps) {
  const router = createRouter();
  // Otherwise `batch` would be the id of a token.
  router.use("/collections/:collection_address/tokens/batch", allowOnly("POST"));
  return router
    .openapi(listRoute, async (c) => {
      const listed = await collections.among(undefined, c.req.valid("query").chain_id);
      return c.json({ items: await viewCollections(deps, listed) }, 200);
    })
    .openapi(collectionRoute, async (c) => {
      const { collection_address } = c.req.valid("param");
      const collection = await collections.findNamed(collection_address, c.req.valid("query").chain_id);
      const [view] = await viewCollections(deps, [collection]);
      if (!view) throw new ApiError("COLLECTION_NOT_FOUND");
      return c.json(view, 200);
    })
    .openapi(tokenRoute, async (c) => {
      const { collection_address, token_id } = c.req.valid("param");
      const collection = await collections.findNamed(collection_address, c.req.valid("query").chain_id);
      const token = await catalog.findToken(collection, token_id);
      if (!token) throw new ApiError("TOKEN_NOT_FOUND");
      return c.json(token, 200);
    });
}
