/** The keyed refresh endpoint and its receipts (spec.md "Refresh metadata (REST)"). */

import { createRoute, z } from "@hono/zod-openapi";
import type { CollectionConfig } from "../../config.ts";
import { errorResponses } from "../http/error-responses.ts";
import { ApiError } from "../http/errors.ts";
import { chainIdField, collectionNameField, uuidField } from "../http/fields.ts";
import { jsonAnswer, jsonBody } from "../http/json-content.ts";
import { createRouter, limitBody, requireJson } from "../http/router.ts";
import type { CollectionRequests } from "./collections/collection-requests.ts";
import { collectionReceiptSchema, viewCollectionReceipt } from "./collections/collection-routes.ts";
import { imageOutcomes } from "./receipts/receipt-images.ts";
import { WAITS_PER_OWNER_MAX, waitedFor } from "./receipts/waits.ts";
import type { RefreshService } from "./service.ts";
import { tokenIdsField } from "./token-ids.ts";
import { refusalOf } from "./verdicts.ts";

const WAIT_SECONDS_MAX = 10;
// A hundred ids of 78 digits, with room for white space and unknown fields.
const BODY_BYTES_MAX = 64 * 1024;

const shared = { tags: ["market-partner"], security: [{ ApiKeyAuth: [] }] };
const keyErrors = ["KEY_MISSING", "KEY_INVALID", "NOT_ALLOWED"] as const;

const refreshBody = z.object({ token_ids: tokenIdsField }).openapi("RefreshRequest");

const imageField = z.enum(imageOutcomes).openapi({
  description:
    "What became of the image. updated: another picture is shown. unchanged: the same as before. rejected: none is shown. pending: not decided yet. none: the document names no image. It is decided after the metadata, and does not count for `done`.",
});

const accepted = z
  .object({
    message: z.literal("Metadata refresh initiated"),
    refresh_id: z.string(),
    chain_id: z.number(),
    collection_address: z.string(),
    tokens: z.array(
      z.object({
        token_id: z.string(),
        status: z.enum(["queued", "fetching", "updated", "unchanged", "failed", "not_found"]),
        image: imageField.optional(),
        image_reason: z.string().nullable().optional(),
        reason: z.string().nullable().optional().openapi({
          description: "Why a token is not queued; for a burned one `burned: in block` and the block.",
        }),
      }),
    ),
  })
  .openapi("RefreshAccepted");

const receiptSchema = z
  .object({
    refresh_id: z.string(),
    chain_id: z.number(),
    collection_address: z.string(),
    created_at: z.string(),
    done: z.boolean(),
    tokens: z.array(
      z.object({
        token_id: z.string(),
        status: z.enum(["queued", "fetching", "updated", "unchanged", "failed", "not_found"]),
        reason: z.string().nullable(),
        image: imageField,
        image_reason: z
          .string()
          .nullable()
          .openapi({ description: "Why the image is rejected, or has not been read yet." }),
      }),
    ),
  })
  .openapi("RefreshReceipt");

const refreshRoute = createRoute({
  ...shared,
  method: "post",
  path: "/collections/{collection_address}/refresh_metadata",
  operationId: "refreshMetadata",
  summary: "Refresh the metadata of the listed tokens",
  middleware: [requireJson, limitBody(BODY_BYTES_MAX)],
  request: {
    params: z.object({ collection_address: collectionNameField }),
    query: z.object({
      chain_id: chainIdField,
      wait: z
        .string()
        .refine((text) => /^[0-9]{1,2}$/.test(text) && Number(text) <= WAIT_SECONDS_MAX, {
          error: (issue) =>
            `must be whole seconds from 0 to ${WAIT_SECONDS_MAX}; it is "${String(issue.input)}"`,
        })
        .transform(Number)
        .optional()
        .openapi({
          type: "integer",
          minimum: 0,
          maximum: WAIT_SECONDS_MAX,
          description: `Answer when what \`wait_for\` names is done, or after this many seconds. An app may have ${WAITS_PER_OWNER_MAX} requests waiting at once: more are answered at once, as without it.`,
        }),
      wait_for: z.enum(waitedFor).optional().openapi({
        description: "What `wait` waits for: the metadata, or its images too. `metadata` by default.",
      }),
    }),
    body: jsonBody(refreshBody),
  },
  responses: {
    200: jsonAnswer("Queued: the distinct ids in request order", accepted),
    ...errorResponses(
      "INVALID_REQUEST",
      { code: "TOKEN_NOT_FOUND", status: 400 },
      "TOO_MANY_TOKENS",
      ...keyErrors,
      "COLLECTION_NOT_FOUND",
      "BODY_TOO_LARGE",
      "UNSUPPORTED_MEDIA_TYPE",
    ),
  },
});

const receiptRoute = createRoute({
  ...shared,
  method: "get",
  path: "/refreshes/{refresh_id}",
  operationId: "getRefresh",
  summary: "The state of a refresh request; visible only to the app that made it",
  request: { params: z.object({ refresh_id: uuidField() }) },
  responses: {
    200: jsonAnswer(
      "The receipt; of a whole collection with `counts` in place of `tokens`",
      z.union([receiptSchema, collectionReceiptSchema]),
    ),
    ...errorResponses("INVALID_REQUEST", ...keyErrors, "NOT_FOUND"),
  },
});

export interface RefreshRouteDeps {
  readonly refresh: RefreshService;
  readonly collectionRequests: CollectionRequests;
  readonly findCollection: (name: string, chainId?: number) => Promise<CollectionConfig>;
}

export function refreshRoutes({ refresh, collectionRequests, findCollection }: RefreshRouteDeps) {
  return createRouter()
    .openapi(refreshRoute, async (c) => {
      const { chain_id, wait = 0, wait_for = "metadata" } = c.req.valid("query");
      const collection = await findCollection(c.req.valid("param").collection_address, chain_id);
      const tokenIds = [...new Set(c.req.valid("json").token_ids)];
      const owner = { appId: c.get("app").id };

      const { receiptId, tokens } = await refresh.request(collection, tokenIds, {
        trigger: "rest",
        receiptFor: owner,
        requestId: c.get("requestId"),
      });
      if (!receiptId) throw refusalOf(tokens);
      const receipt =
        wait > 0
          ? await refresh.waits.wait(receiptId, owner, wait, { until: wait_for, gone: c.req.raw.signal })
          : undefined;
      const message = "Metadata refresh initiated" as const;
      return c.json(
        {
          message,
          refresh_id: receiptId,
          chain_id: collection.chainId,
          collection_address: collection.address,
          tokens: [...(receipt?.tokens ?? tokens)],
        },
        200,
      );
    })
    .openapi(receiptRoute, async (c) => {
      const owner = { appId: c.get("app").id };
      const { refresh_id } = c.req.valid("param");
      const ofCollection = await collectionRequests.findReceipt(refresh_id, owner.appId);
      if (ofCollection) return c.json(viewCollectionReceipt(ofCollection), 200);
      const receipt = await refresh.findReceipt(refresh_id, owner);
      if (!receipt)
        throw new ApiError("NOT_FOUND", [{ path: "refresh_id", message: "no such refresh of this app" }]);
      return c.json({ ...receipt, tokens: [...receipt.tokens] }, 200);
    });
}
