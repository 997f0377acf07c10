/** Webhooks and deliveries as the API shows and takes them. */

import { z } from "@hono/zod-openapi";
import { clip } from "../../domain/printable.ts";
import { sized } from "../../invalid-value.ts";
import { type EventType, eventTypes, isEventType } from "../events/rules.ts";
import { collectionRefField, firstRefs } from "../http/fields.ts";
import { parseUrl } from "../text/parse-url.ts";
import { isStorable } from "../text/storable.ts";
import type { DeliveryRow } from "./delivery-store.ts";
import type { WebhookState } from "./service.ts";

export const URL_CHARACTERS_MAX = 2_048;
export const COLLECTIONS_MAX = 100;
export const DESCRIPTION_MAX = 200;

export const deliveryStatuses = ["pending", "delivered", "failed", "skipped"] as const;

const typeField = z
  .string()
  .transform((text, context): EventType => {
    if (isEventType(text)) return text;
    const message = `"${clip(text)}" is none of ${eventTypes.join(", ")}`;
    context.addIssue({ code: "custom", message });
    return z.NEVER;
  })
  .openapi({ type: "string", enum: [...eventTypes] });

const STORABLE = { error: "must not contain NUL or broken characters", abort: true };

const fields = {
  // The service refuses URLs that only the operator's configuration decides on.
  url: z
    .string()
    .max(URL_CHARACTERS_MAX, { ...sized, abort: true })
    .refine(isStorable, STORABLE)
    // Stored and shown as it is called.
    .transform((text, context) => {
      const href = parseUrl(text)?.href;
      if (href !== undefined && href.length <= URL_CHARACTERS_MAX) return href;
      const message =
        href === undefined
          ? `must be an https URL; "${clip(text)}" can't be parsed`
          : `has ${href.length} characters once encoded; the limit is ${URL_CHARACTERS_MAX}`;
      context.addIssue({ code: "custom", message });
      return z.NEVER;
    })
    .openapi({
      type: "string",
      // An operator may allow hosts of its own without TLS. The parser drops what is before the scheme.
      pattern: "^[\\u0000-\\u0020]*[Hh][Tt][Tt][Pp][Ss]?:",
      maxLength: URL_CHARACTERS_MAX,
      example: "https://partner.example/hooks",
      description: "An https URL of a public host.",
    }),
  description: z.string().max(DESCRIPTION_MAX, sized).refine(isStorable, STORABLE).nullable(),
  event_types: z
    .array(typeField)
    .max(eventTypes.length, sized)
    .openapi({ description: "Empty for all.", example: ["lock", "unlock"] }),
  collections: z.array(collectionRefField).max(COLLECTIONS_MAX, sized).openapi({
    description: "Addresses or slugs, or either after its chain, as in `chainId:address`. Empty for all.",
  }),
};

export const newWebhookBody = z
  .strictObject({
    url: fields.url,
    description: fields.description.optional(),
    event_types: fields.event_types.optional(),
    collections: fields.collections.optional(),
  })
  .openapi("NewWebhook");

export const changedWebhookBody = z
  .strictObject({
    url: fields.url.optional(),
    description: fields.description.optional(),
    event_types: fields.event_types.optional(),
    collections: fields.collections.optional(),
    status: z.enum(["active", "paused"]).optional().openapi({
      description: "`active` resumes a paused webhook: what is pending is sent at once, in order.",
    }),
  })
  .refine((body) => Object.keys(body).length > 0, { error: "must change something" })
  .openapi("ChangedWebhook", { minProperties: 1 });

/** Of any body, what can be read of it. */
export const lenientWebhookBody = z
  .object({
    url: fields.url.optional().catch(undefined),
    collections: firstRefs(COLLECTIONS_MAX).catch([]),
  })
  .catch({ url: undefined, collections: [] });

export const webhookSchema = z
  .object({
    id: z.uuid(),
    url: z.string(),
    description: z.string().nullable(),
    event_types: z.array(z.string()),
    collections: z.array(z.string()).openapi({ description: "`chainId:address` each; empty for all." }),
    status: z.enum(["active", "paused"]),
    paused_reason: z.enum(["requested", "failing", "gone"]).nullable().openapi({
      description:
        "`failing`: an event, or every attempt, failed for three days. `gone`: the receiver answered 410. `requested`: somebody paused it.",
    }),
    paused_at: z.iso.datetime().nullable(),
    failing_since: z.iso
      .datetime()
      .nullable()
      .openapi({ description: "The first failure since the last delivery that succeeded." }),
    old_secret_until: z.iso
      .datetime()
      .nullable()
      .openapi({ description: "After a rotation: until when the previous secret signs too." }),
    pending: z.int().openapi({ description: "Deliveries not yet made." }),
    created_at: z.iso.datetime(),
  })
  .openapi("Webhook");

export const webhookWithSecretSchema = webhookSchema
  .extend({
    secret: z
      .string()
      .openapi({ description: "Shown only here.", example: "whsec_C2FVsBQIhrscChlQIMV+b5sSYspob7oD" }),
  })
  .openapi("WebhookWithSecret");

export const deliverySchema = z
  .object({
    id: z.string(),
    message_id: z
      .string()
      .openapi({ description: "The header `webhook-id`: the same for every attempt and resend." }),
    kind: z.enum(["event", "test", "resend"]),
    event_type: z.string(),
    status: z.enum(deliveryStatuses),
    attempts: z.int(),
    created_at: z.iso.datetime(),
    attempted_at: z.iso.datetime().nullable().openapi({ description: "The last attempt." }),
    next_attempt_at: z.iso.datetime().nullable().openapi({
      description:
        "The earliest time of the next attempt; `null` if there is none, or none before an earlier event of its token has ended.",
    }),
    response_status: z
      .int()
      .nullable()
      .openapi({ description: "Of the last attempt; `null` without an answer." }),
    response_body: z.string().nullable().openapi({ description: "Its first 256 characters." }),
    error: z.string().nullable(),
    duration_ms: z.int().nullable(),
    payload: z
      .object({ type: z.string(), timestamp: z.iso.datetime(), data: z.record(z.string(), z.unknown()) })
      .openapi({
        description:
          "What is sent. `data` is the event, as in `GET /market/events`. For `test`, it is `{webhook_id, at}`.",
      }),
  })
  .openapi("WebhookDelivery");

const iso = (at: Date | null): string | null => at?.toISOString() ?? null;

export const viewWebhook = (row: WebhookState): z.input<typeof webhookSchema> => ({
  id: row.id,
  url: row.url,
  description: row.description,
  event_types: [...row.eventTypes],
  collections: [...row.collections],
  status: row.status,
  paused_reason: row.pausedReason,
  paused_at: iso(row.pausedAt),
  failing_since: iso(row.failingSince),
  old_secret_until: iso(row.oldSecretUntil),
  pending: row.pending,
  created_at: row.createdAt.toISOString(),
});

export const viewDelivery = (row: DeliveryRow): z.input<typeof deliverySchema> => ({
  id: row.id,
  message_id: row.messageId,
  kind: row.kind,
  event_type: row.eventType,
  status: row.status,
  attempts: row.attempts,
  created_at: row.createdAt.toISOString(),
  attempted_at: iso(row.attemptedAt),
  next_attempt_at: row.status === "pending" ? iso(row.dueAt) : null,
  response_status: row.responseStatus,
  response_body: row.responseBody,
  error: row.error,
  duration_ms: row.durationMs,
  payload: JSON.parse(row.body),
});
