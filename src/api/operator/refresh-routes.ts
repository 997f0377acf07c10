/** Operator routes for refreshes: request any number of tokens, follow them, and inspect the queue. */

import { createRoute, z } from "@hono/zod-openapi";
import { collectionKey } from "../../domain/token-ref.ts";
import { listAtMost, sized } from "../../invalid-value.ts";
import type { Collections } from "../catalog/collections.ts";
import { ApiError } from "../http/errors.ts";
import { namedInBodyField, tokenIdField, uuidField, withEitherChainName } from "../http/fields.ts";
import { jsonAnswer, jsonBody } from "../http/json-content.ts";
import { createRouter, limitBody, requireJson } from "../http/router.ts";
import type { OperatorRequests } from "../refresh/operator-requests.ts";
import { OPERATOR, type OperatorActions } from "./actions.ts";
import { overviewSchema, progressSchema } from "./refresh-schemas.ts";
import { viewOverview, viewProgress } from "./refresh-views.ts";
import { bodyErrors, operatorErrors, operatorRoute } from "./route-docs.ts";

const TOKENS_MAX = 10_000;
// Ten thousand ids of 78 digits.
const BODY_BYTES_MAX = 1024 * 1024;

const requestBody = z
  .strictObject({
    collection_address: namedInBodyField,
    chain_id: z
      .int()
      .positive()
      .optional()
      .openapi({ description: "The chain; without it, the one that has the address." }),
    token_ids: z
      .array(tokenIdField)
      .min(1, {
        ...sized,
        error: "must contain at least one token id; leave it out for the whole collection",
      })
      .max(TOKENS_MAX, listAtMost("ids", TOKENS_MAX))
      .optional()
      .openapi({ description: "Without it, every known token of the collection." }),
    accept: z.boolean().default(false).openapi({
      description: "Serve the result even if it is less complete than the current one.",
    }),
  })
  .openapi("OperatorRefreshRequest");

const requestedSchema = z.object({
  refresh_id: z.string(),
  collection: z.string(),
  token_count: z.number().nullable().openapi({
    description: "Distinct tokens; null for a whole collection, which is counted during the refresh.",
  }),
});

const requestRoute = createRoute({
  ...operatorRoute,
  method: "post",
  path: "/refreshes",
  operationId: "requestRefresh",
  summary: `Refresh up to ${TOKENS_MAX} tokens, or a whole collection at the lowest priority`,
  middleware: [requireJson, limitBody(BODY_BYTES_MAX)],
  request: {
    body: jsonBody(withEitherChainName(requestBody)),
  },
  responses: {
    200: jsonAnswer("Queued", requestedSchema),
    ...operatorErrors(...bodyErrors, "COLLECTION_NOT_FOUND"),
  },
});

const progressRoute = createRoute({
  ...operatorRoute,
  method: "get",
  path: "/refreshes/{refresh_id}",
  operationId: "getRefreshProgress",
  summary: "The progress of any caller's refresh",
  request: { params: z.object({ refresh_id: uuidField() }) },
  responses: {
    200: jsonAnswer("Current state", progressSchema),
    ...operatorErrors("INVALID_REQUEST"),
  },
});

const overviewRoute = createRoute({
  ...operatorRoute,
  method: "get",
  path: "/refreshes",
  operationId: "getRefreshQueue",
  summary: "The refresh queue: waiting tokens, hosts, and sweeps of collections",
  responses: {
    200: jsonAnswer("Current state", overviewSchema),
    ...operatorErrors(),
  },
});

export interface OperatorRefreshDeps {
  readonly operatorRequests: OperatorRequests;
  readonly actions: OperatorActions;
  readonly collections: Pick<Collections, "findNamed">;
}

export function operatorRefreshRoutes({ actions, operatorRequests, collections }: OperatorRefreshDeps) {
  return createRouter()
    .openapi(requestRoute, async (c) => {
      const { collection_address, chain_id, token_ids, accept } = c.req.valid("json");
      const collection = await collections.findNamed(collection_address, chain_id);
      const tokenIds = token_ids ? [...new Set(token_ids)] : null;
      const refresh_id = await actions.requestRefresh(
        OPERATOR,
        collection,
        tokenIds,
        accept,
        c.get("requestId"),
      );
      const token_count = tokenIds?.length ?? null;
      return c.json({ refresh_id, collection: collectionKey(collection), token_count }, 200);
    })
    .openapi(progressRoute, async (c) => {
      const { refresh_id } = c.req.valid("param");
      const progress = await operatorRequests.progress(refresh_id);
      if (!progress) throw new ApiError("NOT_FOUND", [{ path: "refresh_id", message: "no such refresh" }]);
      return c.json(viewProgress(refresh_id, progress), 200);
    })
    .openapi(overviewRoute, async (c) => c.json(viewOverview(await operatorRequests.overview()), 200));
}
