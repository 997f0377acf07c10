/** Operator routes for API keys. */

import { createRoute, z } from "@hono/zod-openapi";
import type { CollectionConfig } from "../../config.ts";
import { ApiError } from "../contract/errors.ts";
import { collectionRefField } from "../contract/fields.ts";
import { apiNames } from "../contract/key.ts";
import { createRouter, errorResponses, requireJson } from "../contract/router.ts";
import type { AccessService } from "./service.ts";

const OPERATOR = "operator";

const newKeyBody = z
  .strictObject({
    app: z.string().trim().min(1).max(100),
    apis: z.array(z.enum(apiNames)).min(1),
    collections: z.union([z.literal("all"), z.array(collectionRefField).min(1)]).default("all"),
  })
  .openapi("NewKey");

const keySchema = z
  .object({
    id: z.string(),
    app: z.string(),
    start: z.string(),
    apis: z.array(z.string()),
    collections: z.array(z.string()).nullable(),
    created_at: z.string(),
    revoked_at: z.string().nullable(),
  })
  .openapi("Key");

const operatorSecurity = [{ OperatorToken: [] }];

const createKeyRoute = createRoute({
  method: "post",
  path: "/keys",
  operationId: "createKey",
  tags: ["operator"],
  summary: "Make an API key for an app; the answer is the only place where it is seen",
  security: operatorSecurity,
  middleware: [requireJson],
  request: { body: { required: true, content: { "application/json": { schema: newKeyBody } } } },
  responses: {
    201: {
      description: "The key",
      content: { "application/json": { schema: z.object({ id: z.string(), key: z.string() }) } },
    },
    ...errorResponses(
      "INVALID_REQUEST",
      "KEY_INVALID",
      "NOT_FOUND",
      "COLLECTION_NOT_FOUND",
      "UNSUPPORTED_MEDIA_TYPE",
    ),
  },
});

const listKeysRoute = createRoute({
  method: "get",
  path: "/keys",
  operationId: "listKeys",
  tags: ["operator"],
  summary: "All keys, by their first characters",
  security: operatorSecurity,
  responses: {
    200: {
      description: "Keys",
      content: { "application/json": { schema: z.object({ keys: z.array(keySchema) }) } },
    },
    ...errorResponses("KEY_INVALID", "NOT_FOUND"),
  },
});

const revokeKeyRoute = createRoute({
  method: "delete",
  path: "/keys/{id}",
  operationId: "revokeKey",
  tags: ["operator"],
  summary: "Revoke a key; replicas refuse it within 5 seconds",
  security: operatorSecurity,
  request: { params: z.object({ id: z.uuid() }) },
  responses: {
    200: {
      description: "Revoked",
      content: { "application/json": { schema: z.object({ revoked: z.literal(true) }) } },
    },
    ...errorResponses("INVALID_REQUEST", "KEY_INVALID", "NOT_FOUND"),
  },
});

export interface KeyRouteDeps {
  readonly access: AccessService;
  readonly findCollection: (address: string, chainId?: number) => CollectionConfig;
}

export function keyRoutes({ access, findCollection }: KeyRouteDeps) {
  const collectionName = (ref: { address: string; chainId: number | undefined }): string => {
    const { chainId, address } = findCollection(ref.address, ref.chainId);
    return `${chainId}:${address}`;
  };
  return createRouter()
    .openapi(createKeyRoute, async (c) => {
      const { app, apis, collections } = c.req.valid("json");
      const created = await access.createKey(
        { name: app, apis, collections: collections === "all" ? null : collections.map(collectionName) },
        OPERATOR,
      );
      return c.json(created, 201);
    })
    .openapi(listKeysRoute, async (c) => {
      const keys = await access.listKeys();
      return c.json(
        {
          keys: keys.map((key) => ({
            ...key,
            apis: [...key.apis],
            collections: key.collections && [...key.collections],
            created_at: key.created_at.toISOString(),
            revoked_at: key.revoked_at?.toISOString() ?? null,
          })),
        },
        200,
      );
    })
    .openapi(revokeKeyRoute, async (c) => {
      const revoked = await access.revokeKey(c.req.valid("param").id, OPERATOR);
      if (!revoked)
        throw new ApiError("NOT_FOUND", [{ path: "id", message: "no such key, or revoked already" }]);
      return c.json({ revoked: true as const }, 200);
    });
}
