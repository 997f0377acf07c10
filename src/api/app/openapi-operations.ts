/** What the OpenAPI document says of every operation under a path: the answers of its middleware, and its limits. */

import { responsesOf } from "../http/error-responses.ts";
import type { ErrorCode } from "../http/errors.ts";

interface Operation {
  readonly summary?: string;
  description?: string;
  security?: Record<string, string[]>[];
  requestBody?: unknown;
  responses: Record<string, Response>;
}
interface Response {
  description?: string;
  headers?: object;
  content?: Record<string, { examples?: Record<string, unknown> }>;
}
export type PathItems = Record<string, Record<string, Operation>>;

export const tags = [
  {
    name: "market-partner",
    description:
      "What a partner does: refreshes, reports, information, webhooks. Needs a key with this permission.",
  },
  {
    name: "market",
    description: "What anyone with a key reads: collections, tokens, locks, trade checks, events.",
  },
  { name: "registry", description: "The delegation registry. A key is optional and lifts the limit." },
  {
    name: "operator",
    description: "The operator's own API. It answers 404 where no operator token is configured.",
  },
  { name: "media", description: "Cached images." },
  { name: "operation", description: "How far the service is behind, for probes." },
] as const;

interface Rules {
  readonly errors: readonly ErrorCode[];
  /** Only where a request may have a body. */
  readonly bodyErrors?: readonly ErrorCode[];
  readonly note: string;
  readonly isRevalidated?: boolean;
}

const keyed = (api: string): Rules => ({
  errors: [
    "INVALID_REQUEST",
    "KEY_MISSING",
    "KEY_INVALID",
    "NOT_ALLOWED",
    "NOT_ACCEPTABLE",
    "RATE_LIMITED",
    "UNAVAILABLE",
  ],
  note: `Needs the key of an app with the permission \`${api}\`; its tier limits the requests.`,
  isRevalidated: true,
});

/** In the order of mounting; the first that a path starts with counts. */
const rulesByPath: readonly (readonly [string, Rules])[] = [
  ["/market-partner/", keyed("market-partner")],
  ["/market/events", { ...keyed("market"), isRevalidated: false }],
  // A stream as well.
  ["/market/collections/{collection_address}/export", { ...keyed("market"), isRevalidated: false }],
  ["/market/", keyed("market")],
  [
    "/registry/",
    {
      errors: ["INVALID_REQUEST", "KEY_INVALID", "RATE_LIMITED", "UNAVAILABLE"],
      note: "Needs no key; without one, requests are limited by client address.",
    },
  ],
  [
    "/admin/",
    {
      errors: ["INVALID_REQUEST", "KEY_INVALID", "NOT_FOUND", "RATE_LIMITED", "UNAVAILABLE"],
      bodyErrors: ["BODY_TOO_LARGE"],
      note: "For the operator. Wrong tokens are limited by client address.",
    },
  ],
  [
    "/media/",
    {
      errors: ["INVALID_REQUEST", "RATE_LIMITED", "UNAVAILABLE"],
      note: "Needs no key; requests are limited by client address.",
    },
  ],
  [
    "/freshness",
    {
      errors: ["INVALID_REQUEST", "RATE_LIMITED", "UNAVAILABLE"],
      note: "Needs no key; requests are limited by client address.",
    },
  ],
  ["/livez", { errors: ["INVALID_REQUEST"], note: "Needs no key and is not limited." }],
];

const errorSchema = { $ref: "#/components/schemas/Error" };

/** Adds to each operation what its path's middleware answers, its security, and a note on keys and limits. */
export function describeOperations(paths: PathItems): void {
  for (const [path, operations] of Object.entries(paths)) {
    const rules = rulesByPath.find(([start]) => path.startsWith(start))?.[1];
    if (!rules) throw new Error(`openapi-operations.ts has no rules for ${path}`);
    for (const [method, operation] of Object.entries(operations)) {
      addErrors(operation, [...rules.errors, ...(method === "get" ? [] : (rules.bodyErrors ?? []))]);
      if (rules.isRevalidated && method === "get") addRevalidation(operation);
      // Wherever the header authenticates, the query parameter does too.
      const security = operation.security ?? [];
      operation.security = security.some((scheme) => "ApiKeyAuth" in scheme)
        ? [...security, { ApiKeyQuery: [] }]
        : security;
      const said = operation.description ?? `${operation.summary ?? ""}.`;
      operation.description = `${said}\n\n${rules.note}`;
    }
  }
}

function addErrors(operation: Operation, codes: readonly ErrorCode[]): void {
  const added: Record<string, Response> = responsesOf(codes, errorSchema);
  for (const [status, answer] of Object.entries(added)) {
    const declared = operation.responses[status];
    const json = declared?.content?.["application/json"];
    // The liveness probe's 503 has a body of its own.
    if (declared && !json?.examples) continue;
    const examples = { ...json?.examples, ...answer.content?.["application/json"]?.examples };
    const messages = new Set(
      [declared?.description, answer.description].flatMap((text) => text?.split(" / ") ?? []),
    );
    operation.responses[status] = {
      ...answer,
      description: [...messages].join(" / "),
      content: { "application/json": { ...answer.content?.["application/json"], examples } },
    };
  }
}

const etag = { ETag: { description: "Of this answer, for If-None-Match.", schema: { type: "string" } } };

function addRevalidation(operation: Operation): void {
  const ok = operation.responses["200"];
  if (ok) ok.headers = { ...ok.headers, ...etag };
  operation.responses["304"] = {
    description: "The client's `If-None-Match` names the current answer",
    headers: etag,
  };
}
