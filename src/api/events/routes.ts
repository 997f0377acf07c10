/** The stream over HTTP: server-sent events, resumed by Last-Event-ID (docs/trading.md). */

import { createRoute, z } from "@hono/zod-openapi";
import { streamSSE } from "hono/streaming";
import type { CollectionConfig } from "../../config.ts";
import { clip } from "../../domain/printable.ts";
import { collectionKey } from "../../domain/token-ref.ts";
import { errorResponses } from "../http/error-responses.ts";
import { ApiError } from "../http/errors.ts";
import { chainIdField, collectionNameField } from "../http/fields.ts";
import { apiKeyOf, type KeyFinder } from "../http/key.ts";
import { createAppLimit } from "../http/limits/in-flight-limiter.ts";
import type { InFlightLimit } from "../http/limits/rate-limit.ts";
import { createRouter, requireAcceptsType } from "../http/router.ts";
import { cut, untilClosed } from "../http/server/cut.ts";
import { documentedEvents, type EventType, eventTypes, isEventType } from "./event-types.ts";
import type { EventHub } from "./hub.ts";
import type { EventFilter } from "./stream-store.ts";
import type { Wire } from "./subscriber.ts";

const COLLECTIONS_MAX = 100;
const appStreams: InFlightLimit = { requests: 100, retrySeconds: 5, unit: "streams" };
const allStreams: InFlightLimit = { ...appStreams, requests: 1_000 };

const lastIdField = z
  .string()
  .regex(/^[0-9]{1,15}$/, {
    error: (issue) => `"${clip(String(issue.input))}" is not an event id: a decimal number`,
  })
  .transform(Number)
  .optional();

/** Names separated by commas. */
const list = <Item extends z.ZodType<unknown, string>>(item: Item, max: number) =>
  z
    .string()
    .transform((text) => text.split(","))
    .pipe(z.array(item).max(max));

const typeField = z.string().transform((text, context): EventType => {
  if (isEventType(text)) return text;
  const message = `"${clip(text)}" is none of ${eventTypes.join(", ")}`;
  context.addIssue({ code: "custom", message });
  return z.NEVER;
});

const code = (names: readonly string[]): string => names.map((name) => `\`${name}\``).join(", ");

const streamRoute = createRoute({
  method: "get",
  path: "/events",
  operationId: "streamEvents",
  tags: ["market"],
  summary: "Events of collections as they happen, as server-sent events",
  description: [
    "Resumable with the header `Last-Event-ID` for 7 days. `data` is JSON. Every event has `id`, `type`, `chain_id`, `collection_address`, `token_id` and `at`, and further fields by its type:",
    ...documentedEvents().map(
      ({ names, fields, meaning }) => `* ${code(names)} (${code(fields)}): ${meaning}`,
    ),
  ].join("\n"),
  security: [{ ApiKeyAuth: [] }],
  request: {
    headers: z.object({ "last-event-id": lastIdField }),
    query: z.object({
      chain_id: chainIdField.openapi({
        description: "The chain; without it, those of the named collections, or all.",
      }),
      collection_address: list(collectionNameField, COLLECTIONS_MAX).optional().openapi({
        type: "string",
        description: "Addresses or slugs, separated by commas; without it, all.",
      }),
      type: list(typeField, eventTypes.length)
        .optional()
        .openapi({ type: "string", example: "lock,unlock", description: "Without it, all." }),
      last_event_id: lastIdField.openapi({ description: "For clients that can't send the header." }),
    }),
  },
  responses: {
    200: { description: "The stream", content: { "text/event-stream": { schema: z.string() } } },
    ...errorResponses(
      "INVALID_REQUEST",
      "KEY_MISSING",
      "KEY_INVALID",
      "NOT_ALLOWED",
      "COLLECTION_NOT_FOUND",
      "NOT_ACCEPTABLE",
      "RATE_LIMITED",
      "UNAVAILABLE",
    ),
  },
});

export interface EventRouteDeps {
  readonly hub: EventHub;
  readonly keys: KeyFinder;
  readonly collections: {
    readonly all: readonly CollectionConfig[];
    findAllNamed(names: readonly string[], chainId?: number): Promise<readonly CollectionConfig[]>;
  };
}

/** Refuses callers that don't accept an event stream; all other gateway routes answer JSON. */
export const requireAcceptsStream = requireAcceptsType("text/event-stream");

/** Needs `requireKey` before it. */
export function eventRoutes({ hub, keys, collections }: EventRouteDeps) {
  const takeStream = createAppLimit(appStreams, allStreams);

  return createRouter().openapi(streamRoute, async (c) => {
    const query = c.req.valid("query");
    const filter = await filterOf(query, collections);
    const after = c.req.valid("header")["last-event-id"] ?? query.last_event_id;
    // Not by the middleware: a stream continues after its request is answered.
    const release = takeStream(c.get("app").id);
    // Proxies that buffer a response would hold all of it.
    c.header("X-Accel-Buffering", "no");
    // A HEAD reads no body, so the stream would never end.
    if (c.req.method === "HEAD") {
      release();
      return c.body(null, 200, { "Cache-Control": "no-cache", "Content-Type": "text/event-stream" });
    }

    const key = apiKeyOf(c) ?? "";
    const isAllowed = async (): Promise<boolean> =>
      (await keys.findApp(key))?.apis.includes("market") ?? false;
    const response = streamSSE(c, async (stream) => {
      const gone = new Promise<void>((resolve) => stream.onAbort(resolve));
      const wire: Wire = { write: (text) => stream.write(text), cut: () => cut(c), gone };
      try {
        await hub.follow({ filter, after, isAllowed }, wire);
      } finally {
        release();
      }
    });
    return new Response(response.body && untilClosed(c, response.body), response);
  });
}

async function filterOf(
  query: { chain_id?: number; collection_address?: readonly string[]; type?: readonly EventType[] },
  { all, findAllNamed }: EventRouteDeps["collections"],
): Promise<EventFilter> {
  const { chain_id: chainId, collection_address = [], type = [] } = query;
  const named = await findAllNamed(collection_address, chainId);
  if (chainId !== undefined && !all.some((each) => each.chainId === chainId)) {
    const message = `chain ${chainId} has no collection that is served here`;
    throw new ApiError("INVALID_REQUEST", [{ path: "chain_id", message }]);
  }
  return {
    types: new Set(type),
    collections: new Set(named.map(collectionKey)),
    chainId,
  };
}
