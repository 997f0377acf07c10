/** The route POST /graphql. Errors of a GraphQL request have GraphQL's shape, others the REST API's. */

import type { Context, MiddlewareHandler } from "hono";
import { isDatabaseAway } from "../db/database-away.ts";
import { compose } from "../http/compose.ts";
import { ApiError, type ErrorCode, errorTable } from "../http/errors.ts";
import type { ApiName } from "../http/key.ts";
import { type ApiEnv, type CallerApp, createRouter, requireJson } from "../http/router.ts";
import { assertShallow } from "../http/text/nesting.ts";
import { answerJson, readBody } from "./body.ts";
import type { GraphqlEndpoint } from "./gateway/endpoint.ts";

const BODY_BYTES_MAX = 100 * 1024;

/** The caller, for resolvers. */
export interface Caller {
  /**
   * The client address that limits refreshes; undefined for an app that may refresh over REST, where its tier is the
   * limit.
   */
  readonly client: string | undefined;
}

const REFRESH_API: ApiName = "market-partner";

/** `clientAddress` is the one that rate limits use. */
export function graphqlRoutes(endpoint: GraphqlEndpoint<Caller>, clientAddress: (c: Context) => string) {
  const router = createRouter();
  const answer: MiddlewareHandler<ApiEnv> = async (c) => {
    const text = await readBody(c, BODY_BYTES_MAX);
    const { json, bytes, status } = await endpoint.handle({
      body: parseJson(text),
      text,
      context: { client: mayRefresh(c.get("app")) ? undefined : clientAddress(c) },
    });
    answerJson(c, bytes ?? json, status);
  };
  router.post("/graphql", compose(requireJson, answer));
  router.all("/graphql", (c) => {
    c.header("Allow", "POST");
    throw new ApiError("METHOD_NOT_ALLOWED", [{ path: "", message: "use POST for GraphQL" }]);
  });
  return router;
}

const mayRefresh = (app: CallerApp | undefined): boolean => app?.apis.includes(REFRESH_API) ?? false;

function parseJson(text: string): unknown {
  assertShallow(text);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new ApiError("INVALID_REQUEST", [{ path: "", message: "the body is not valid JSON" }], { cause });
  }
}

/** What a client may see of an error: its own mistake in full, ours as one word. */
export function redactError(error: unknown): { message: string; code: ErrorCode } {
  if (isDatabaseAway(error)) return { message: errorTable.UNAVAILABLE.message, code: "UNAVAILABLE" };
  if (!(error instanceof ApiError)) return { message: "Internal server error", code: "INTERNAL" };
  const details = error.details.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  return { message: [error.message, ...details].join("; "), code: error.code };
}
