/**
 * The routes POST and GET /graphql (GraphQL over HTTP). Errors of a GraphQL request have GraphQL's shape, others the
 * REST API's.
 */

import type { Context, MiddlewareHandler } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { isDatabaseUnavailable } from "../db/database-away.ts";
import { GRAPHQL_TYPE, graphqlTypeOf, JSON_TYPE } from "../http/accept.ts";
import type { ApiName } from "../http/api-names.ts";
import { compose } from "../http/compose.ts";
import { ApiError } from "../http/errors.ts";
import { setHeader } from "../http/headers.ts";
import { KEY_PARAMETER, type KeyCheck } from "../http/key.ts";
import type { Cure } from "../http/limits/rate-limit.ts";
import { answerUnrouted } from "../http/not-found.ts";
import { checkNames } from "../http/query-names.ts";
import { type ApiEnv, type CallerApp, createRouter, requireJson } from "../http/router.ts";
import { answerJson, readBody } from "./body.ts";
import type { RedactError } from "./errors.ts";
import type { EndpointAnswer, GraphqlEndpoint } from "./gateway/endpoint.ts";
import { camelCase } from "./own/camel-keys.ts";
import { bodyOfParameters, parseJson, requestParameters } from "./request.ts";

const BODY_BYTES_MAX = 100 * 1024;

/** Operations in one body, as many as clients batch by default. */
const OPERATIONS_MAX = 10;

/** The caller, for resolvers. */
export interface Caller {
  /** The request's id. */
  readonly requestId: string;
  /**
   * The client address that limits refreshes; undefined for an app that may refresh over REST, where its tier is the
   * limit.
   */
  readonly client: string | undefined;
  /** For an app that `client` limits: the permission that ends the limit. */
  readonly cure?: Cure;
}

const REFRESH_API: ApiName = "market-partner";

/** What the routes need of the rate limits. */
export interface CallerRules {
  readonly clientAddress: (c: Context) => string;
  /** The URL of the page where an app requests permissions. */
  readonly permissionsPage: KeyCheck["permissionsPage"];
}

export function graphqlRoutes(
  endpoint: Omit<GraphqlEndpoint<Caller>, "schema">,
  { clientAddress, permissionsPage }: CallerRules,
) {
  const router = createRouter();
  const callerOf = (c: Context<ApiEnv>): Caller => {
    const app = c.get("app") as CallerApp | undefined;
    const requestId = c.get("requestId");
    if (!app) return { requestId, client: clientAddress(c) };
    if (app.apis.includes(REFRESH_API)) return { requestId, client: undefined };
    const url = permissionsPage(app);
    return {
      requestId,
      client: clientAddress(c),
      cure: { message: `the API ${REFRESH_API} ends this limit; request access at ${url}`, url },
    };
  };

  const post: MiddlewareHandler<ApiEnv> = async (c) => {
    const text = await readBody(c, BODY_BYTES_MAX);
    const body = parseJson(text);
    if (!Array.isArray(body))
      return answer(c, await endpoint.handle({ body, text, context: callerOf(c) }), graphqlTypeOf(c));
    assertBatch(body);
    await c.get("countRequests")?.(body.length - 1);
    // An array is no answer of GRAPHQL_TYPE.
    answer(c, await endpoint.handleBatch(body, callerOf(c)), JSON_TYPE);
  };

  const get: MiddlewareHandler<ApiEnv> = async (c) => {
    // Refusals, too: they depend on the caller's key and limits.
    setHeader(c, "Cache-Control", "no-store");
    setHeader(c, "X-Content-Type-Options", "nosniff");
    const body = bodyOfParameters((name) => c.req.queries(name) ?? []);
    const answered = await endpoint.handle({
      body,
      text: JSON.stringify(body),
      context: callerOf(c),
      queriesOnly: true,
    });
    if (answered.status === 405) setHeader(c, "Allow", "POST");
    answer(c, answered, graphqlTypeOf(c));
  };

  const names = checkNames([...requestParameters, KEY_PARAMETER]);
  router.post("/graphql", compose(names, requireJson, post));
  router.get("/graphql", compose(names, get));
  router.all("/graphql", answerUnrouted(router));
  return router;
}

function answer(
  c: Context<ApiEnv>,
  { status, resultStatus = status, json, bytes, error }: EndpointAnswer,
  type: typeof GRAPHQL_TYPE | typeof JSON_TYPE,
): void {
  if (error) c.set("graphqlError", { code: error.extensions.code, message: error.message });
  // A request that is no GraphQL has the same status in both types.
  const isResult = type === GRAPHQL_TYPE && status === 200;
  const { retryAfter } = error?.extensions ?? {};
  if (isResult && resultStatus !== 200 && retryAfter !== undefined)
    setHeader(c, "Retry-After", String(retryAfter));
  answerJson(c, bytes ?? json, (isResult ? resultStatus : status) as ContentfulStatusCode, type);
}

function assertBatch(operations: readonly unknown[]): void {
  const { length } = operations;
  if (length > 0 && length <= OPERATIONS_MAX) return;
  const message = `an array holds 1 to ${OPERATIONS_MAX} operations; received ${length}`;
  throw new ApiError("INVALID_REQUEST", [{ path: "", message }]);
}

/** What a client may see of an error: its own mistake in full, ours as one word. */
export function redactError(error: unknown): ReturnType<RedactError> {
  if (isDatabaseUnavailable(error)) return redactError(new ApiError("UNAVAILABLE"));
  if (!(error instanceof ApiError)) return { message: "Internal server error", code: "INTERNAL" };
  // Services name REST's parameters; a GraphQL argument of the same meaning is in camelCase.
  const details = error.details.map(({ path, message }) =>
    path ? `${camelCase(path)}: ${message}` : message,
  );
  const url = error.details.find((detail) => detail.url !== undefined)?.url;
  const { code, retryAfterSeconds: retryAfter } = error;
  return { message: [error.message, ...details].join("; "), code, url, retryAfter };
}
