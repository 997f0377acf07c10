/** Response headers that every answer of a busy route carries. */

import type { ServerResponse } from "node:http";
import type { Context, MiddlewareHandler, Next } from "hono";
import { cors } from "hono/cors";
import { createMiddleware } from "hono/factory";

interface NodeEnv {
  readonly outgoing?: Pick<ServerResponse, "headersSent" | "setHeader">;
}

/**
 * Sets a header that the answer keeps whatever happens to the request. On @hono/node-server it goes directly to Node's
 * own response: a `Headers` object validates, copies and sorts its contents several times, which costs a short answer a
 * tenth of its time.
 */
export function setHeader(c: Context, name: string, value: string): void {
  const outgoing = (c.env as NodeEnv | undefined)?.outgoing;
  if (outgoing && !outgoing.headersSent) outgoing.setHeader(name, value);
  else c.header(name, value);
}

/** What pages of other origins may read, beside the headers that every page may. */
const EXPOSED = [
  "Content-Disposition",
  "ETag",
  "Link",
  "RateLimit",
  "RateLimit-Limit",
  "RateLimit-Policy",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "Retry-After",
  "X-As-Of-Block",
  "X-Request-Id",
].join(", ");

/**
 * Lets pages of other origins read answers, and in them the headers that a client needs: limits, paging, revalidation and
 * the request id. `isOwnOrigin` is for paths that no such page may use.
 */
export const allowOrigins = (isOwnOrigin: (path: string) => boolean) =>
  createMiddleware((c, next) => {
    if (!isOwnOrigin(c.req.path)) {
      setHeader(c, "Access-Control-Allow-Origin", "*");
      setHeader(c, "Access-Control-Expose-Headers", EXPOSED);
    }
    return next();
  });

/** Lets no cache store an answer that doesn't say otherwise: caches may keep a 200 or a 404 by rules of their own. */
export const storeNothing: MiddlewareHandler = (c, next) => {
  setHeader(c, "Cache-Control", "no-store");
  return next();
};

async function answerHead(c: Context, next: Next): Promise<void> {
  await next();
  const { status, headers } = c.res;
  c.res = undefined;
  c.res = new Response(null, { status, headers: new Headers(headers) });
}

/**
 * Gives an answer to HEAD the headers of that to GET. Hono copies the latter, and @hono/node-server's `Response` leaves out
 * of a copy what was set after it was made.
 */
export const keepHeadersOfHead = createMiddleware((c, next) =>
  c.req.method === "HEAD" ? answerHead(c, next) : next(),
);

const preflight = cors({ origin: "*", maxAge: 86_400 });

/** Answers preflights: pages of other origins may send any request, with any headers. */
export const answerPreflights = (isOwnOrigin: (path: string) => boolean): MiddlewareHandler =>
  createMiddleware((c, next) => (isOwnOrigin(c.req.path) ? next() : preflight(c, next)));

/** Whether a request reads: HEAD is a GET without a body, and answered in the same way. */
export const isRead = ({ method }: { readonly method: string }): boolean =>
  method === "GET" || method === "HEAD";
