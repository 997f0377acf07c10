/** POST and GET /graphql: Ponder's half and ours, joined behind one endpoint. */

import type { OpenAPIHono } from "@hono/zod-openapi";
import { failedStatement } from "../db/statement-watch.ts";
import type { ApiEnv } from "../http/router.ts";
import type { Logger } from "../logging/logger.ts";
import { createGraphqlEndpoint } from "./gateway/endpoint.ts";
import { ownSdl } from "./own/own.graphql.ts";
import { createResolvers } from "./own/resolvers.ts";
import { type Caller, type CallerRules, graphqlRoutes, redactError } from "./routes.ts";

export { createPonderHandler, type PonderQueries } from "./ponder/ponder-handler.ts";

/** `ponder` answers a request with Ponder's own GraphQL handler. Rejects if the two schemas can't be merged. */
export async function createGraphqlModule({
  ponder,
  services,
  rateLimits,
  logger,
}: {
  readonly ponder: Parameters<typeof createGraphqlEndpoint<Caller>>[0]["ponder"];
  readonly services: Parameters<typeof createResolvers>[0];
  readonly rateLimits: CallerRules;
  readonly logger: Logger;
}): Promise<OpenAPIHono<ApiEnv>> {
  const endpoint = await createGraphqlEndpoint<Caller>({
    ponder,
    ownSdl,
    rootValue: createResolvers(services),
    collectionCount: services.collections.all.length,
    redactError,
    onError(error, { requestId }) {
      const statement = failedStatement(error);
      logger.error({
        msg: "GraphQL request failed",
        request_id: requestId,
        ...(statement !== undefined && { statement }),
        error,
      });
    },
  });
  return graphqlRoutes(endpoint, rateLimits);
}
