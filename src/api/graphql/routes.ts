/** The POST /graphql door. Errors of a GraphQL request are answered in GraphQL's shape, the rest in the gateway's. */

import { ApiError, type ErrorCode, errorTable } from "../contract/errors.ts";
import { createRouter, limitBody, requireJson } from "../contract/router.ts";
import { isDatabaseAway } from "../store/database-away.ts";
import type { GraphqlEndpoint } from "./endpoint.ts";

const BODY_BYTES_MAX = 100 * 1024;

export function graphqlRoutes(endpoint: GraphqlEndpoint<undefined>) {
  const router = createRouter();
  router.post("/graphql", requireJson, limitBody(BODY_BYTES_MAX), async (c) => {
    const text = await c.req.text();
    const answer = await endpoint.handle({
      body: parseJson(text),
      text,
      context: undefined,
      signal: c.req.raw.signal,
    });
    return c.body(answer.json, answer.status, { "Content-Type": "application/json" });
  });
  router.all("/graphql", (c) => {
    c.header("Allow", "POST");
    throw new ApiError("METHOD_NOT_ALLOWED", [{ path: "", message: "GraphQL is asked by POST" }]);
  });
  return router;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiError("INVALID_REQUEST", [{ path: "", message: "the body is not valid JSON" }], { cause });
  }
}

/** What a client may see of an error: its own doing in full, ours by one word. */
export function maskError(error: unknown): { message: string; code: ErrorCode } {
  if (isDatabaseAway(error)) return { message: errorTable.UNAVAILABLE.message, code: "UNAVAILABLE" };
  if (!(error instanceof ApiError)) return { message: "Internal server error", code: "INTERNAL" };
  const details = error.details.map(({ path, message }) => `${path}: ${message}`);
  return { message: [error.message, ...details].join("; "), code: error.code };
}
