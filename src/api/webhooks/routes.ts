/** The partner routes of webhooks (docs/webhooks.md). */

import { createRoute, z } from "@hono/zod-openapi";
import { collectionKey } from "../../domain/token-ref.ts";
import type { Collections } from "../catalog/collections.ts";
import { refuseBody } from "../http/all-problems.ts";
import { errorResponses } from "../http/error-responses.ts";
import type { ErrorCode } from "../http/errors.ts";
import { limitField, uuidField } from "../http/fields.ts";
import { jsonAnswer, jsonBody } from "../http/json-content.ts";
import { perApp } from "../http/limits/count-requests.ts";
import { type RateLimit, type RateLimiter, rateLimit } from "../http/limits/rate-limit.ts";
import { cursorField, pageCursor } from "../http/page-cursor.ts";
import { createRouter, limitBody, requireJson } from "../http/router.ts";
import { createWebhookCheck } from "./check-body.ts";
import {
  changedWebhookBody,
  deliverySchema,
  deliveryStatuses,
  newWebhookBody,
  viewDelivery,
  viewWebhook,
  webhookSchema,
  webhookWithSecretSchema,
} from "./schemas.ts";
import type { WebhookService } from "./service.ts";

const PATH = "/webhooks";
const ONE = `${PATH}/{webhook_id}`;
const BODY_BYTES_MAX = 64 * 1024;

/** Per app, as the console per client: each change leaves an audit row, and those are kept for good. */
export const webhookLimit: RateLimit = {
  name: "webhook-changes",
  requests: 60,
  seconds: 60,
  scope: "which register, change, rotate or delete webhooks",
};

const shared = { tags: ["market-partner"], security: [{ ApiKeyAuth: [] }] };
const keyErrors = ["KEY_MISSING", "KEY_INVALID", "NOT_ALLOWED"] as const;
const bodyErrors = ["COLLECTION_NOT_FOUND", "BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"] as const;
const params = z.object({
  webhook_id: uuidField({ error: "must be the id of a webhook: a UUID" }),
});
const deliveryParams = params.extend({
  delivery_id: z
    .string()
    .regex(/^[1-9][0-9]{0,17}$/, { error: "must be the id of a delivery: a decimal number" }),
});
const cursors = pageCursor(z.string().regex(/^[0-9]{1,18}$/));

const errors = (...more: ErrorCode[]) => errorResponses("INVALID_REQUEST", ...keyErrors, ...more);

const listRoute = createRoute({
  ...shared,
  method: "get",
  path: PATH,
  operationId: "listWebhooks",
  summary: "The app's webhooks, oldest first",
  responses: { 200: jsonAnswer("The webhooks", z.object({ items: z.array(webhookSchema) })), ...errors() },
});

const createWebhookRoute = createRoute({
  ...shared,
  method: "post",
  path: PATH,
  operationId: "createWebhook",
  summary: "Register a URL for events",
  description: `Sends every event from now on that fits \`event_types\` and \`collections\`, by the Standard Webhooks specification. A delivery that fails is retried for about three days; then the webhook is paused. The secret is shown only here.`,
  middleware: [requireJson, limitBody(BODY_BYTES_MAX)],
  request: { body: jsonBody(newWebhookBody) },
  responses: {
    201: jsonAnswer("The webhook, with its secret", webhookWithSecretSchema),
    ...errors(...bodyErrors),
  },
});

const readRoute = createRoute({
  ...shared,
  method: "get",
  path: ONE,
  operationId: "getWebhook",
  summary: "A webhook",
  request: { params },
  responses: { 200: jsonAnswer("The webhook", webhookSchema), ...errors("NOT_FOUND") },
});

const changeRoute = createRoute({
  ...shared,
  method: "patch",
  path: ONE,
  operationId: "changeWebhook",
  summary: "Change, pause or resume a webhook",
  description: "Fields that the body leaves out stay as they are.",
  middleware: [requireJson, limitBody(BODY_BYTES_MAX)],
  request: { params, body: jsonBody(changedWebhookBody) },
  responses: { 200: jsonAnswer("The webhook", webhookSchema), ...errors("NOT_FOUND", ...bodyErrors) },
});

const deleteRoute = createRoute({
  ...shared,
  method: "delete",
  path: ONE,
  operationId: "deleteWebhook",
  summary: "Delete a webhook with its deliveries",
  request: { params },
  responses: {
    200: jsonAnswer("Nothing more is sent", z.object({ id: z.uuid(), deleted: z.literal(true) })),
    ...errors("NOT_FOUND"),
  },
});

const testRoute = createRoute({
  ...shared,
  method: "post",
  path: `${ONE}/test`,
  operationId: "testWebhook",
  summary: "Send a test message",
  description:
    "A message of type `test` is sent once, also to a paused webhook. The list of deliveries shows the outcome.",
  request: { params },
  responses: { 202: jsonAnswer("The delivery", deliverySchema), ...errors("NOT_FOUND", "RATE_LIMITED") },
});

const rotateRoute = createRoute({
  ...shared,
  method: "post",
  path: `${ONE}/rotate`,
  operationId: "rotateWebhookSecret",
  summary: "Replace a webhook's secret",
  description: "For 24 hours, deliveries carry two signatures, by the new secret and by the one before.",
  request: { params },
  responses: {
    200: jsonAnswer("The webhook, with its new secret", webhookWithSecretSchema),
    ...errors("NOT_FOUND"),
  },
});

const deliveriesRoute = createRoute({
  ...shared,
  method: "get",
  path: `${ONE}/deliveries`,
  operationId: "listWebhookDeliveries",
  summary: "A webhook's deliveries of the last 7 days, newest first",
  request: {
    params,
    query: z.object({
      status: z.enum(deliveryStatuses).optional(),
      limit: limitField,
      cursor: cursorField,
    }),
  },
  responses: {
    200: jsonAnswer(
      "The deliveries",
      z.object({ items: z.array(deliverySchema), next_cursor: z.string().nullable() }),
    ),
    ...errors("NOT_FOUND"),
  },
});

const resendRoute = createRoute({
  ...shared,
  method: "post",
  path: `${ONE}/deliveries/{delivery_id}/resend`,
  operationId: "resendWebhookDelivery",
  summary: "Send a delivery again",
  description:
    "The same body under the same `webhook-id`. A pending delivery is due at once; any other one is sent once more.",
  request: { params: deliveryParams },
  responses: { 202: jsonAnswer("The delivery", deliverySchema), ...errors("NOT_FOUND", "RATE_LIMITED") },
});

const skipRoute = createRoute({
  ...shared,
  method: "post",
  path: `${ONE}/deliveries/{delivery_id}/skip`,
  operationId: "skipWebhookDelivery",
  summary: "Give up a pending delivery",
  description:
    "Later events of the same token wait for it no longer. An attempt under way may still arrive. A delivery that was skipped can be sent again, beside the order.",
  request: { params: deliveryParams },
  responses: {
    200: jsonAnswer("The delivery, skipped now or before", deliverySchema),
    ...errors("NOT_FOUND"),
  },
});

export interface WebhookRouteDeps {
  readonly webhooks: WebhookService;
  readonly collections: Pick<Collections, "findRefs">;
  /** Enforces `webhookLimit`. */
  readonly limiter: RateLimiter;
}

/** Needs `requireKey` before it. */
export function webhookRoutes({ webhooks, collections, limiter }: WebhookRouteDeps) {
  const settingsOf = async (sent: z.infer<typeof changedWebhookBody>) => ({
    ...(sent.url !== undefined && { url: sent.url }),
    ...(sent.description !== undefined && { description: sent.description }),
    ...(sent.event_types && { eventTypes: [...new Set(sent.event_types)] }),
    ...(sent.collections && {
      collections: (await collections.findRefs(sent.collections)).map(collectionKey),
    }),
  });

  const refuse = refuseBody(createWebhookCheck({ webhooks, collections }));
  const router = createRouter();
  const limited = rateLimit(perApp(limiter));
  router.on("POST", [PATH, `${PATH}/:webhook_id/rotate`], limited);
  router.on(["PATCH", "DELETE"], `${PATH}/:webhook_id`, limited);
  return router
    .openapi(listRoute, async (c) => {
      const rows = await webhooks.list(c.get("app").id);
      return c.json({ items: rows.map(viewWebhook) }, 200);
    })
    .openapi(
      createWebhookRoute,
      async (c) => {
        const app = c.get("app");
        const sent = c.req.valid("json");
        const settings = {
          description: null,
          eventTypes: [],
          collections: [],
          ...(await settingsOf(sent)),
          url: sent.url,
        };
        const { webhook, secret } = await webhooks.create(app.id, settings, `app:${app.name}`);
        return c.json({ ...viewWebhook(webhook), secret }, 201);
      },
      refuse,
    )
    .openapi(readRoute, async (c) => {
      const row = await webhooks.find(c.get("app").id, c.req.valid("param").webhook_id);
      return c.json(viewWebhook(row), 200);
    })
    .openapi(
      changeRoute,
      async (c) => {
        const app = c.get("app");
        const sent = c.req.valid("json");
        const change = { ...(await settingsOf(sent)), ...(sent.status && { status: sent.status }) };
        const row = await webhooks.change(app.id, c.req.valid("param").webhook_id, change, `app:${app.name}`);
        return c.json(viewWebhook(row), 200);
      },
      refuse,
    )
    .openapi(deleteRoute, async (c) => {
      const app = c.get("app");
      const { webhook_id: id } = c.req.valid("param");
      await webhooks.remove(app.id, id, `app:${app.name}`);
      return c.json({ id, deleted: true as const }, 200);
    })
    .openapi(testRoute, async (c) => {
      const row = await webhooks.deliveries.test(c.get("app").id, c.req.valid("param").webhook_id);
      return c.json(viewDelivery(row), 202);
    })
    .openapi(rotateRoute, async (c) => {
      const app = c.get("app");
      const { webhook_id: id } = c.req.valid("param");
      const { webhook, secret } = await webhooks.rotate(app.id, id, `app:${app.name}`);
      return c.json({ ...viewWebhook(webhook), secret }, 200);
    })
    .openapi(deliveriesRoute, async (c) => {
      const { webhook_id: id } = c.req.valid("param");
      const { status, limit, cursor } = c.req.valid("query");
      const list = ["webhook deliveries", id, status ?? null];
      const before = cursors.read(list, cursor);
      const rows = await webhooks.deliveries.list(c.get("app").id, id, { limit: limit + 1, before, status });
      const items = rows.slice(0, limit);
      const last = items.at(-1);
      const next = rows.length > limit && last ? cursors.write(list, last.id) : null;
      return c.json({ items: items.map(viewDelivery), next_cursor: next }, 200);
    })
    .openapi(resendRoute, async (c) => {
      const { webhook_id: id, delivery_id: delivery } = c.req.valid("param");
      return c.json(viewDelivery(await webhooks.deliveries.resend(c.get("app").id, id, delivery)), 202);
    })
    .openapi(skipRoute, async (c) => {
      const app = c.get("app");
      const { webhook_id: id, delivery_id: delivery } = c.req.valid("param");
      return c.json(
        viewDelivery(await webhooks.deliveries.skip(app.id, id, delivery, `app:${app.name}`)),
        200,
      );
    });
}
