/** Keyed routes that report metadata errors to a collection's creators, before and after publication. */

import { createRoute, z } from "@hono/zod-openapi";
import { errorResponses } from "../../http/error-responses.ts";
import { ApiError } from "../../http/errors.ts";
import {
  chainIdField,
  collectionNameField,
  EXAMPLE_CHAIN_ID,
  limitField,
  tokenIdField,
  withEitherChainName,
} from "../../http/fields.ts";
import { jsonAnswer, jsonBody } from "../../http/json-content.ts";
import { perApp } from "../../http/limits/count-requests.ts";
import { createInFlightLimiter } from "../../http/limits/in-flight-limiter.ts";
import { type RateLimit, type RateLimiter, rateLimit } from "../../http/limits/rate-limit.ts";
import { createRouter, limitBody, requireJson } from "../../http/router.ts";
import { DOCUMENT_BYTES_MAX, readPaced } from "../../metadata/module.ts";
import { numberSources } from "../../metadata/rules.ts";
import { plainJson } from "../../text/plain-json.ts";
import type { Collections } from "../collections.ts";
import { documentReportSchema } from "./document-report.ts";
import type { Reports } from "./reports.ts";
import { tokenReportSchema, viewTokenReport } from "./token-report.ts";

/** Per app. Each request may fetch an arbitrary URL: enough to try out a collection, too little to overload a host. */
export const validateLimit: RateLimit = { name: "validate", requests: 60, seconds: 60 };
// Each uses up to 4 MiB and a socket for up to 30 s.
const VALIDATE_AT_ONCE_MAX = 4;
const VALIDATE_PATH = "/metadata/validate";
// A document slightly above its own limit gets a report that says so.
const BODY_BYTES_MAX = DOCUMENT_BYTES_MAX + 64 * 1024;
/** The highest version number: PostgreSQL's integer. */
export const VERSION_MAX = 2_147_483_647;

const shared = { tags: ["market-partner"], security: [{ ApiKeyAuth: [] }] };
const keyErrors = ["KEY_MISSING", "KEY_INVALID", "NOT_ALLOWED"] as const;

const reportRoute = createRoute({
  ...shared,
  method: "get",
  path: "/collections/{collection_address}/tokens/{token_id}/report",
  operationId: "getTokenReport",
  summary: "A token's issues, what each page shows, and the outcomes of its fetches",
  request: {
    params: z.object({ collection_address: collectionNameField, token_id: tokenIdField }),
    query: z.object({
      chain_id: chainIdField,
      limit: limitField,
      cursor: z
        .string()
        .refine((text) => /^[1-9][0-9]{0,9}$/.test(text) && Number(text) <= VERSION_MAX, {
          error: "must be the next_cursor of an earlier answer",
        })
        .transform(Number)
        .optional()
        .openapi({ type: "string", description: "The `next_cursor` of the previous page." }),
    }),
  },
  responses: {
    200: jsonAnswer("The report", tokenReportSchema),
    ...errorResponses("INVALID_REQUEST", ...keyErrors, "COLLECTION_NOT_FOUND", "TOKEN_NOT_FOUND"),
  },
});

const validateBody = z
  .strictObject({
    document: z.unknown().optional().openapi({ description: "The document itself: any JSON value." }),
    uri: z
      .string()
      .optional()
      .openapi({ description: "Its URI: http, https or ipfs.", example: "https://meta.example/7" }),
    token_id: tokenIdField
      .optional()
      .openapi({ description: "Replaces `{id}` in the URI and the document, as in ERC-1155." }),
    collection_address: collectionNameField
      .optional()
      .openapi({ description: "Applies the collection's allowed hosts and known display types." }),
    chain_id: z.int().positive().optional().openapi({ example: EXAMPLE_CHAIN_ID }),
  })
  .superRefine((body, context) => {
    const refuse = (path: string[], message: string): void =>
      context.addIssue({ code: "custom", path, message });
    // A null document counts as given.
    const isDocument = "document" in body;
    if (isDocument === (body.uri !== undefined))
      refuse([], `needs either document or uri; it has ${isDocument ? "both" : "neither"}`);
    if (isDocument && body.token_id !== undefined) refuse(["token_id"], "goes with uri, not with document");
    if (body.chain_id !== undefined && body.collection_address === undefined)
      refuse(["chain_id"], "goes with collection_address");
  })
  .openapi("ValidateRequest", { oneOf: [{ required: ["document"] }, { required: ["uri"] }] });

const validateRoute = createRoute({
  ...shared,
  method: "post",
  path: VALIDATE_PATH,
  operationId: "validateMetadata",
  summary: "Check a document or a URI, with its media: issues, traits and what each page would show",
  description:
    `Send exactly one of \`document\` and \`uri\`. The media that the document names are fetched and checked too. A URI that can't be fetched is part of the report, with status 200. Nothing is stored. ` +
    `An app has ${validateLimit.requests} requests per ${validateLimit.seconds} seconds, ${VALIDATE_AT_ONCE_MAX} at once in each process; ` +
    "the headers `RateLimit-Limit`, `RateLimit-Remaining` and `RateLimit-Reset` show what is left.",
  middleware: [requireJson, limitBody(BODY_BYTES_MAX)],
  request: {
    body: jsonBody(withEitherChainName(validateBody)),
  },
  responses: {
    200: jsonAnswer("The report", documentReportSchema),
    ...errorResponses(
      "INVALID_REQUEST",
      ...keyErrors,
      "COLLECTION_NOT_FOUND",
      "BODY_TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
      "RATE_LIMITED",
    ),
  },
});

export interface ReportRouteDeps {
  readonly reports: Reports;
  readonly findCollection: Collections["findNamed"];
  /** Enforces `validateLimit`. */
  readonly limiter: RateLimiter;
}

export function reportRoutes({ reports, findCollection, limiter }: ReportRouteDeps) {
  const router = createRouter();
  // Before the body is read: reading it must count towards the limit.
  const inFlight = createInFlightLimiter({ requests: VALIDATE_AT_ONCE_MAX, retrySeconds: 1 });
  router.on("POST", VALIDATE_PATH, rateLimit(perApp(limiter)), rateLimit(perApp(inFlight)));
  return router
    .openapi(reportRoute, async (c) => {
      const { collection_address, token_id } = c.req.valid("param");
      const { chain_id, limit, cursor } = c.req.valid("query");
      const collection = await findCollection(collection_address, chain_id);
      const report = await reports.ofToken(collection, token_id, { limit, before: cursor });
      if (!report) throw new ApiError("TOKEN_NOT_FOUND");
      return c.json(viewTokenReport(report), 200);
    })
    .openapi(validateRoute, async (c) => {
      const { uri, token_id, collection_address, chain_id } = c.req.valid("json");
      const collection = collection_address ? await findCollection(collection_address, chain_id) : undefined;
      const { signal } = c.req.raw;
      if (uri !== undefined) return c.json(await reports.ofUri(uri, token_id, collection, signal), 200);
      const around = JSON.stringify({ document: "", collection_address, chain_id }).length - '""'.length;
      const text = await c.req.text();
      const bytes = Buffer.byteLength(text) - around;
      try {
        const { document, source } = await readPaced(bytes, () => readDocument(text), signal);
        return c.json(await reports.ofDocument({ document, source, bytes }, collection, signal), 200);
      } catch (error) {
        // Its caller has gone, so nobody receives this; it is no fault either.
        throw error === signal.reason ? new ApiError("UNAVAILABLE") : error;
      }
    });
}

/** The document of a body, which is valid, and the same with its numbers as written. */
function readDocument(text: string): { readonly document: unknown; readonly source: unknown } {
  const json = plainJson(text);
  const documentOf = (body: unknown): unknown => (body as { readonly document: unknown }).document;
  return { document: documentOf(json.value), source: documentOf(numberSources(json)) };
}
