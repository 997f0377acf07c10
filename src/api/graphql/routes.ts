/** The POST /graphql door. Errors of a GraphQL request are answered in GraphQL's shape, the rest in the gateway's. */

import type { MiddlewareHandler } from "hono";
import { ApiError, type ErrorCode, errorTable } from "../contract/errors.ts";
import { inTurn } from "../contract/in-turn.ts";
import { assertShallow } from "../contract/nesting.ts";
import { type ApiEnv, createRouter, requireJson } from "../contract/router.ts";
import { isDatabaseAway } from "../store/database-away.ts";
import { answerJson, readBody } from "./body.ts";
import type { GraphqlEndpoint } from "./endpoint.ts";

const BODY_BYTES_MAX = 100 * 1024;

export function graphqlRoutes(endpoint: GraphqlEndpoint<undefined>) {
  const router = createRouter();
  const answer: MiddlewareHandler<ApiEnv> = async (c) => {
    const text = await readBody(c, BODY_BYTES_MAX);
    const { json, bytes, status } = await endpoint.handle({
      body: parseJson(text),
      text,
      context: undefined,
    });
    answerJson(c, bytes ?? json, status);
  };
  router.post("/graphql", inTurn(requireJson, answer));
  router.all("/graphql", (c) => {
    c.header("Allow", "POST");
    throw new ApiError("METHOD_NOT_ALLOWED", [{ path: "", message: "GraphQL is asked by POST" }]);
  });
  return router;
}

function parseJson(text: string): unknown {
  assertShallow(text);
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
