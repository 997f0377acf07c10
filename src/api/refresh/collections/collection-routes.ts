/** The keyed endpoints that refresh a whole collection and cancel it. Its receipt is read like any other. */

import { createRoute, z } from "@hono/zod-openapi";
import type { CollectionConfig } from "../../../config.ts";
import { errorResponses } from "../../http/error-responses.ts";
import { ApiError } from "../../http/errors.ts";
import { chainIdField, collectionNameField, uuidField } from "../../http/fields.ts";
import { jsonAnswer } from "../../http/json-content.ts";
import { assertCollectionAllowed, type KeyCheck } from "../../http/key.ts";
import { createRouter } from "../../http/router.ts";
import type { CollectionReceipt, CollectionRequests } from "./collection-requests.ts";

const shared = { tags: ["market-partner"], security: [{ ApiKeyAuth: [] }] };
const keyErrors = ["KEY_MISSING", "KEY_INVALID", "NOT_ALLOWED"] as const;

export const collectionReceiptSchema = z
  .object({
    refresh_id: z.string(),
    chain_id: z.number(),
    collection_address: z.string(),
    created_at: z.string(),
    status: z
      .enum(["running", "done", "cancelled"])
      .openapi({ description: "cancelled: nothing more is fetched; what was fetched before is recorded." }),
    done: z
      .boolean()
      .openapi({ description: "Nothing of it is queued, being fetched or being counted any more." }),
    counts: z.object({
      total: z.int().openapi({ description: "Tokens to read. It grows while `counted` is false." }),
      queued: z.int(),
      fetching: z.int(),
      updated: z.int(),
      unchanged: z.int(),
      failed: z.int(),
      not_found: z.int(),
      cancelled: z.int().openapi({ description: "Tokens that were not read because it was cancelled." }),
    }),
    counted: z.boolean().openapi({
      description: "False while the tokens are being counted, which goes on after a cancellation.",
    }),
    failures: z
      .array(
        z.object({
          code: z.string(),
          count: z.int(),
          example: z.object({ token_id: z.string(), reason: z.string() }),
        }),
      )
      .openapi({ description: "Failed tokens by the first word of their reason, most frequent first." }),
  })
  .openapi("CollectionRefreshReceipt");

export function viewCollectionReceipt(receipt: CollectionReceipt): z.infer<typeof collectionReceiptSchema> {
  const { status, total, fetching, groups } = receipt;
  const ended = { updated: 0, unchanged: 0, failed: 0, not_found: 0 };
  for (const group of groups) if (group.status !== "waiting") ended[group.status] += group.tokens;
  const sum = ended.updated + ended.unchanged + ended.failed + ended.not_found;
  const left = Math.max(0, total - sum - fetching);
  const isCancelled = status === "cancelled";
  return {
    refresh_id: receipt.refreshId,
    chain_id: receipt.chainId,
    collection_address: receipt.collection,
    created_at: receipt.createdAt.toISOString(),
    status,
    done: receipt.hasEnded,
    counts: {
      // Tokens may become known after they were counted.
      total: Math.max(total, sum + fetching),
      queued: isCancelled ? 0 : left,
      fetching,
      ...ended,
      cancelled: isCancelled ? left : 0,
    },
    counted: receipt.isCounted,
    failures: groups
      .filter((group) => group.status === "failed")
      .map(({ code, tokens, tokenId, reason }) => ({
        code,
        count: tokens,
        example: { token_id: tokenId, reason: reason ?? "" },
      })),
  };
}

const requestedSchema = z.object({ refresh_id: z.string() }).openapi("CollectionRefreshRequested");

const requestRoute = createRoute({
  ...shared,
  method: "post",
  path: "/collections/{collection_address}/refresh_collection",
  operationId: "refreshCollection",
  summary: "Refresh every token of a collection, one such refresh at a time",
  description:
    "The app needs the permission for the collection. Tokens are read at the lowest priority, at the pace of a sweep; the receipt counts them.",
  request: {
    params: z.object({ collection_address: collectionNameField }),
    query: z.object({ chain_id: chainIdField }),
  },
  responses: {
    200: jsonAnswer("Accepted", requestedSchema),
    ...errorResponses("INVALID_REQUEST", ...keyErrors, "COLLECTION_NOT_FOUND", "REFRESH_RUNNING"),
  },
});

const cancelledSchema = requestedSchema
  .extend({ status: collectionReceiptSchema.shape.status })
  .openapi("CollectionRefreshCancelled");

const cancelResponses = {
  200: jsonAnswer("Cancelled, now or before; one that is done stays done", cancelledSchema),
  ...errorResponses("INVALID_REQUEST", ...keyErrors, "NOT_FOUND"),
};

const cancelRoute = createRoute({
  ...shared,
  method: "delete",
  path: "/refreshes/{refresh_id}",
  operationId: "cancelRefresh",
  summary: "Cancel a refresh of a whole collection; what is fetched already stays recorded",
  request: { params: z.object({ refresh_id: uuidField() }) },
  responses: cancelResponses,
});

/** The same, below its collection. */
const cancelOfCollectionRoute = createRoute({
  ...shared,
  method: "delete",
  path: "/collections/{collection_address}/refreshes/{refresh_id}",
  operationId: "cancelCollectionRefresh",
  summary: "Cancel a refresh of this collection; what is fetched already stays recorded",
  request: {
    params: z.object({ collection_address: collectionNameField, refresh_id: uuidField() }),
    query: z.object({ chain_id: chainIdField }),
  },
  responses: {
    ...cancelResponses,
    ...errorResponses("INVALID_REQUEST", ...keyErrors, "NOT_FOUND", "COLLECTION_NOT_FOUND"),
  },
});

export interface CollectionRefreshRouteDeps {
  readonly collectionRequests: CollectionRequests;
  readonly findCollection: (name: string, chainId?: number) => Promise<CollectionConfig>;
  readonly permissionsPage: KeyCheck["permissionsPage"];
}

export function collectionRefreshRoutes({
  collectionRequests,
  findCollection,
  permissionsPage,
}: CollectionRefreshRouteDeps) {
  async function cancel(refreshId: string, appId: string, collection?: CollectionConfig) {
    const found = await collectionRequests.findReceipt(refreshId, appId);
    const isMeant =
      !collection || (found?.collection === collection.address && found.chainId === collection.chainId);
    if (!found || !isMeant || !(await collectionRequests.cancel(refreshId, appId)))
      throw new ApiError("NOT_FOUND", [
        { path: "refresh_id", message: "no such refresh of a whole collection by this app" },
      ]);
    const receipt = await collectionRequests.findReceipt(refreshId, appId);
    return { refresh_id: refreshId, status: receipt?.status ?? "cancelled" };
  }

  return createRouter()
    .openapi(requestRoute, async (c) => {
      const { collection_address } = c.req.valid("param");
      const collection = await findCollection(collection_address, c.req.valid("query").chain_id);
      const app = c.get("app");
      assertCollectionAllowed(app, collection, permissionsPage);
      return c.json(
        { refresh_id: await collectionRequests.request(collection, app.id, c.get("requestId")) },
        200,
      );
    })
    .openapi(cancelRoute, async (c) =>
      c.json(await cancel(c.req.valid("param").refresh_id, c.get("app").id), 200),
    )
    .openapi(cancelOfCollectionRoute, async (c) => {
      const { collection_address, refresh_id } = c.req.valid("param");
      const collection = await findCollection(collection_address, c.req.valid("query").chain_id);
      return c.json(await cancel(refresh_id, c.get("app").id, collection), 200);
    });
}
