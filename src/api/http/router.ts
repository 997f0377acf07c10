/** What every REST route shares: validation answers, the error shape, and the documented responses. */

import { OpenAPIHono, type RouteConfig as PlainRouteConfig, type z } from "@hono/zod-openapi";
import type { Context, MiddlewareHandler } from "hono";
import { bodyLimit } from "hono/body-limit";
import { createMiddleware } from "hono/factory";
import { HTTPException } from "hono/http-exception";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { clip } from "../../domain/printable.ts";
import { isDatabaseUnavailable, isUnstorableText } from "../db/database-away.ts";
import { failedStatement } from "../db/statement-watch.ts";
import type { Logger } from "../logging/logger.ts";
import { allowsType, JSON_TYPE } from "./accept.ts";
import { ApiError, errorBody, GIVEN_TWICE, invalidRequest } from "./errors.ts";
import type { Tier } from "./limits/tiers.ts";
import { checkQueryNames } from "./query-names.ts";
import { isUtf8, readAsUtf8 } from "./utf8.ts";

/** A caller that holds a key. */
export interface CallerApp {
  readonly id: string;
  readonly name: string;
  readonly apis: readonly string[];
  /** The key of the request. */
  readonly keyId: string;
  /** The collections, as `chainId:address`, whose information the app may write; null for every collection. */
  readonly collections: readonly string[] | null;
  readonly tier: Tier;
}

type RouteConfig = PlainRouteConfig & { readonly middleware?: MiddlewareHandler | MiddlewareHandler[] };

export interface ApiEnv {
  Variables: {
    requestId: string;
    app: CallerApp;
    /** The first error of a GraphQL result, whose status may be 200. */
    graphqlError?: { readonly code: string; readonly message: string };
    /** Counts `more` requests beside the one that was counted; throws RATE_LIMITED over the limit. See `limitEach`. */
    countRequests?: (more: number) => Promise<void>;
  };
}

/**
 * A router whose routes validate all input: unknown query parameters first, then the query, the path and the body, of which
 * the first with problems reports all of its own.
 */
export function createRouter(): OpenAPIHono<ApiEnv> {
  const router = new OpenAPIHono<ApiEnv>({
    defaultHook: (result, c) => {
      if (result.success) return;
      throw invalidRequest(result.target === "query" ? explainRepeated(result.error, c) : result.error);
    },
  });
  const register = router.openapi;
  router.openapi = ((route: RouteConfig, ...rest: unknown[]) => {
    // Behind the limits of the body's size.
    const reading = route.request?.body ? [readAsUtf8] : [];
    const middleware = [checkQueryNames(route), ...[route.middleware ?? []].flat(), ...reading];
    return (register as (...all: unknown[]) => unknown)({ ...route, middleware }, ...rest);
  }) as typeof register;
  return router;
}

type Issue = z.core.$ZodIssue;

/** A parameter that is repeated arrives as an array, which the caller has not sent. */
function explainRepeated({ issues }: z.ZodError, c: Context): { readonly issues: readonly Issue[] } {
  const isRepeated = ({ code, path }: Issue): boolean =>
    /^invalid_(type|value)$/.test(code) &&
    path.length === 1 &&
    (c.req.queries(String(path[0]))?.length ?? 0) > 1;
  return { issues: issues.map((issue) => (isRepeated(issue) ? { ...issue, message: GIVEN_TWICE } : issue)) };
}

/** Answers any thrown error in the contract's shape. Only unexpected errors are logged. */
export function answerError<E extends { Variables: { requestId: string } }>(
  error: Error,
  c: Context<E>,
  logger: Logger,
): Response {
  const requestId = c.get("requestId") as string;
  const known = toApiError(error);
  if (known.code === "INTERNAL") {
    const statement = failedStatement(error);
    logger.error({
      msg: "Request failed",
      request_id: requestId,
      path: c.req.path,
      ...(statement !== undefined && { statement }),
      error,
    });
  }
  if (known.retryAfterSeconds !== undefined) c.header("Retry-After", String(known.retryAfterSeconds));
  return c.json(errorBody(known, requestId), known.status as ContentfulStatusCode);
}

/** The answer to any thrown error. */
export function toApiError(error: Error): ApiError {
  if (error instanceof ApiError) return error;
  if (error instanceof HTTPException && error.status === 400) {
    return new ApiError("INVALID_REQUEST", [{ path: "", message: "the body is not valid JSON" }], {
      cause: error,
    });
  }
  if (error instanceof HTTPException && error.status === 415) {
    return wrongType("must be application/json", error);
  }
  if (isUnstorableText(error)) {
    return new ApiError("INVALID_REQUEST", [{ path: "", message: "text must be Unicode without U+0000" }], {
      cause: error,
    });
  }
  return new ApiError(isDatabaseUnavailable(error) ? "UNAVAILABLE" : "INTERNAL", [], { cause: error });
}

/** Refuses bodies over `maxSize` bytes while they arrive. */
export const limitBody = (maxSize: number) =>
  bodyLimit({
    maxSize,
    onError: (c) => {
      // The rest of the body is not read, so the connection can't carry another request.
      c.header("Connection", "close");
      throw new ApiError("BODY_TOO_LARGE", [{ path: "", message: `the limit is ${maxSize} bytes` }]);
    },
  });

// Only these: plain JSON is also sent with `Content-Encoding: utf-8`, which means nothing.
const COMPRESSIONS = /\b(?:gzip|deflate|br|zstd|compress)\b/i;

const wrongType = (message: string, cause?: unknown): ApiError =>
  new ApiError("UNSUPPORTED_MEDIA_TYPE", [{ path: "content-type", message }], { cause });

/** Refuses bodies without a JSON content type, so that none is ever read as an empty object, and compressed ones. */
export const requireJson = createMiddleware(async (c, next) => {
  const type = c.req.header("content-type") ?? "";
  if (!/^application\/(?:[\w.+-]+\+)?json\s*(?:;|$)/i.test(type.trim())) {
    throw wrongType(`must be application/json; received ${type === "" ? "none" : `"${type}"`}`);
  }
  if (!isUtf8(type)) throw wrongType(`must have no charset but UTF-8; received "${clip(type)}"`);
  // @hono/zod-openapi refuses other legal spellings, such as "application/json;".
  if (type !== JSON_TYPE) c.req.raw.headers.set("content-type", JSON_TYPE);
  const coding = c.req.header("content-encoding") ?? "";
  // As text it would be JSON with a mistake, which nobody would find in what they sent.
  if (COMPRESSIONS.test(coding)) {
    c.header("Accept-Encoding", "identity");
    const message = `must be left out; received "${clip(coding)}"`;
    throw new ApiError("UNSUPPORTED_MEDIA_TYPE", [{ path: "content-encoding", message }]);
  }
  await next();
});

/** Refuses callers that don't accept an answer of this media type, such as JSON (spec.md "Gateway path shape"). */
export const requireAcceptsType = (type: string) =>
  createMiddleware((c, next) => {
    requireAccepts(c.req.header("accept"), type);
    return next();
  });

/** Throws NOT_ACCEPTABLE where an `Accept` header, if there is one, allows no answer of this media type. */
export function requireAccepts(accept: string | undefined, type: string): void {
  const [name = ""] = type.split(";");
  if (accept === undefined || allowsType(accept, name)) return;
  const message = `must allow ${name}; received "${clip(accept)}"`;
  throw new ApiError("NOT_ACCEPTABLE", [{ path: "accept", message }]);
}
