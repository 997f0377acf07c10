/** Operator routes for API keys. */

import { createRoute, z } from "@hono/zod-openapi";
import { collectionKey } from "../../domain/token-ref.ts";
import { listAtMost, shown, sized } from "../../invalid-value.ts";
import type { AccessService } from "../access/keys/service.ts";
import { LIVE_KEYS_MAX } from "../access/module.ts";
import { APP_NAME_MAX } from "../access/rules.ts";
import type { Sessions } from "../access/sign-in/sessions.ts";
import type { Collections } from "../catalog/collections.ts";
import { apiNames } from "../http/api-names.ts";
import { ApiError } from "../http/errors.ts";
import { collectionRefField, limitField, uuidField } from "../http/fields.ts";
import { jsonAnswer, jsonBody } from "../http/json-content.ts";
import { tierNames } from "../http/limits/tiers.ts";
import { cursorField, pageCursor } from "../http/page-cursor.ts";
import { createRouter, requireJson } from "../http/router.ts";
import { isStorable } from "../text/storable.ts";
import { OPERATOR } from "./actions.ts";
import { refuseCollections } from "./check-collections.ts";
import { bodyErrors, operatorErrors, operatorRoute } from "./route-docs.ts";

// A month, for a key that ends by itself and for one that is rotated.
const SECONDS_MAX = 30 * 86_400;

const COLLECTIONS_MAX = 1_000;

const newKeyBody = z
  .strictObject({
    app: z
      .string()
      .trim()
      .min(1, sized)
      .max(APP_NAME_MAX, sized)
      .refine(isStorable, { error: "must be Unicode without U+0000" }),
    apis: z.array(z.enum(apiNames)).min(1, sized),
    collections: z
      .union([
        z.literal("all"),
        z
          .array(collectionRefField, {
            error: ({ code, input }) =>
              code === "invalid_type" ? `must be "all" or an array; it is ${shown(input)}` : undefined,
          })
          .min(1, sized)
          .max(COLLECTIONS_MAX, listAtMost("collections", COLLECTIONS_MAX)),
      ])
      .default("all"),
    expires_in_seconds: z.int().min(1).max(SECONDS_MAX).optional().openapi({
      description:
        "How long the key works; by default, until it is revoked. A key that expires can't be rotated.",
    }),
  })
  .openapi("NewKey");

const GRACE_SECONDS_DEFAULT = 86_400;
const rotateBody = z
  .strictObject({
    grace_seconds: z
      .int()
      .min(0)
      .max(SECONDS_MAX)
      .default(GRACE_SECONDS_DEFAULT)
      .openapi({ description: "How long the old key keeps working." }),
  })
  .openapi("KeyRotation");

const keySchema = z
  .object({
    id: z.string(),
    app: z.string(),
    start: z.string(),
    apis: z.array(z.string()),
    collections: z.array(z.string()).nullable(),
    tier: z.enum(tierNames),
    created_at: z.string(),
    expires_at: z.string().nullable().openapi({ description: "When it expires; null for never." }),
    revoked_at: z.string().nullable(),
    last_used_at: z.string().nullable().openapi({ description: "To the minute; null before its first use." }),
  })
  .openapi("Key");

const LIST_LIMIT_DEFAULT = 100;
const cursors = pageCursor(z.uuid());
const LIST = ["keys"];

const createKeyRoute = createRoute({
  method: "post",
  path: "/keys",
  operationId: "createKey",
  tags: operatorRoute.tags,
  summary: "Create an API key for an app; only this answer shows it",
  description: `An app has at most ${LIVE_KEYS_MAX} keys that work.`,
  security: operatorRoute.security,
  middleware: [requireJson],
  request: { body: jsonBody(newKeyBody) },
  responses: {
    201: jsonAnswer("The key", z.object({ id: z.string(), key: z.string() })),
    ...operatorErrors(...bodyErrors, "COLLECTION_NOT_FOUND"),
  },
});

const listKeysRoute = createRoute({
  method: "get",
  path: "/keys",
  operationId: "listKeys",
  tags: operatorRoute.tags,
  summary: "The keys of all apps, oldest first, with their first characters",
  security: operatorRoute.security,
  request: {
    query: z.object({
      limit: limitField.default(LIST_LIMIT_DEFAULT).openapi({ default: LIST_LIMIT_DEFAULT }),
      cursor: cursorField,
    }),
  },
  responses: {
    200: jsonAnswer(
      "A page of keys",
      z.object({
        keys: z.array(keySchema),
        next_cursor: z.string().nullable().openapi({ description: "Null after the last page." }),
      }),
    ),
    ...operatorErrors("INVALID_REQUEST"),
  },
});

const revokeKeyRoute = createRoute({
  method: "delete",
  path: "/keys/{id}",
  operationId: "revokeKey",
  tags: operatorRoute.tags,
  summary: "Revoke a key; replicas refuse it at once, or within 2 seconds if the notice is lost",
  security: operatorRoute.security,
  request: { params: z.object({ id: uuidField() }) },
  responses: {
    200: jsonAnswer("Revoked", z.object({ revoked: z.literal(true) })),
    ...operatorErrors("INVALID_REQUEST"),
  },
});

const rotateKeyRoute = createRoute({
  method: "post",
  path: "/keys/{id}/rotate",
  operationId: "rotateKey",
  tags: operatorRoute.tags,
  summary: "Create another key for the same app; the old one keeps working for a while",
  description: "A key is rotated once. To end one that is rotated already, revoke it.",
  security: operatorRoute.security,
  middleware: [requireJson],
  request: {
    params: z.object({ id: uuidField() }),
    body: jsonBody(rotateBody),
  },
  responses: {
    201: jsonAnswer("The new key", z.object({ id: z.string(), key: z.string() })),
    ...operatorErrors(...bodyErrors),
  },
});

const loginLinkRoute = createRoute({
  method: "post",
  path: "/login_links",
  operationId: "createLoginLink",
  tags: operatorRoute.tags,
  summary: "Create a link that signs in one browser to the console as the operator, once, within ten minutes",
  security: operatorRoute.security,
  responses: {
    201: jsonAnswer("The link", z.object({ url: z.string(), expires_at: z.string() })),
    ...operatorErrors(),
  },
});

export interface KeyRouteDeps {
  readonly access: AccessService;
  readonly sessions: Pick<Sessions, "makeLink">;
  readonly baseUrl: string;
  readonly collections: Pick<Collections, "findRefs">;
}

export function keyRoutes({ access, sessions, baseUrl, collections }: KeyRouteDeps) {
  return createRouter()
    .openapi(
      createKeyRoute,
      async (c) => {
        const { app, apis, collections: named, expires_in_seconds } = c.req.valid("json");
        const found = named === "all" ? null : await collections.findRefs(named);
        const created = await access.createKey(
          { name: app, apis, collections: found?.map(collectionKey) ?? null },
          OPERATOR,
          expires_in_seconds,
        );
        return c.json(created, 201);
      },
      refuseCollections(collections, COLLECTIONS_MAX),
    )
    .openapi(listKeysRoute, async (c) => {
      const { limit, cursor } = c.req.valid("query");
      const found = await access.listKeys(limit + 1, cursors.read(LIST, cursor));
      const keys = found.slice(0, limit);
      const last = found.length > limit ? keys.at(-1) : undefined;
      return c.json(
        {
          next_cursor: last ? cursors.write(LIST, last.id) : null,
          keys: keys.map(({ app_id: _ofOurs, ...key }) => ({
            ...key,
            apis: [...key.apis],
            collections: key.collections && [...key.collections],
            created_at: key.created_at.toISOString(),
            expires_at: key.expires_at?.toISOString() ?? null,
            revoked_at: key.revoked_at?.toISOString() ?? null,
            last_used_at: key.last_used_at?.toISOString() ?? null,
          })),
        },
        200,
      );
    })
    .openapi(rotateKeyRoute, async (c) => {
      const { grace_seconds } = c.req.valid("json");
      const rotation = await access.rotateKey(c.req.valid("param").id, grace_seconds, OPERATOR);
      if (rotation.kind !== "rotated") {
        const message =
          rotation.kind === "unknown"
            ? "no such key that still works"
            : `rotated already; it works until ${rotation.endsAt.toISOString()}. A key that was created to expire can't be rotated`;
        throw new ApiError("NOT_FOUND", [{ path: "id", message }]);
      }
      return c.json({ id: rotation.id, key: rotation.key }, 201);
    })
    .openapi(loginLinkRoute, async (c) => {
      const { token, expiresAt } = await sessions.makeLink(OPERATOR);
      return c.json({ url: `${baseUrl}/console/login/${token}`, expires_at: expiresAt.toISOString() }, 201);
    })
    .openapi(revokeKeyRoute, async (c) => {
      const revoked = await access.revokeKey(c.req.valid("param").id, OPERATOR);
      if (!revoked)
        throw new ApiError("NOT_FOUND", [{ path: "id", message: "no such key, or revoked already" }]);
      return c.json({ revoked: true as const }, 200);
    });
}
