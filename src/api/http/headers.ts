/** Response headers that every answer of a busy route carries. */

import type { ServerResponse } from "node:http";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";

interface NodeEnv {
  readonly outgoing?: Pick<ServerResponse, "headersSent" | "setHeader" | "removeHeader">;
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

/**
 * Moves headers that middleware of Ponder's (its CORS) set on `c.res` to Node's own response. Otherwise Hono merges
 * them by building each answer a second time, as a stream that @hono/node-server then has to read: a fifth of the time
 * of a short answer. `withoutHeader` removes one again.
 */
export const moveHeadersToNode = createMiddleware((c, next) => {
  const outgoing = (c.env as NodeEnv | undefined)?.outgoing;
  if (outgoing && !outgoing.headersSent) {
    for (const [name, value] of c.res.headers) outgoing.setHeader(name, value);
    c.res = undefined;
    // Setting `res` marked the request as answered.
    c.finalized = false;
  }
  return next();
});

/** What pages of other origins may read, beside the headers that every page may. */
const EXPOSED = [
  "ETag",
  "Link",
  "RateLimit",
  "RateLimit-Limit",
  "RateLimit-Policy",
  "RateLimit-Remaining",
  "RateLimit-Reset",
  "Retry-After",
  "X-Request-Id",
].join(", ");

/**
 * Lets pages of other origins read the headers that a client needs: limits, paging, revalidation and the request id.
 * `isOwnOrigin` is for paths that no such page may use.
 */
export const exposeHeaders = (isOwnOrigin: (path: string) => boolean) =>
  createMiddleware((c, next) => {
    if (!isOwnOrigin(c.req.path)) setHeader(c, "Access-Control-Expose-Headers", EXPOSED);
    return next();
  });

/** Removes a header that earlier middleware set, by either way. */
export const withoutHeader = (name: string) =>
  createMiddleware(async (c, next) => {
    (c.env as NodeEnv | undefined)?.outgoing?.removeHeader(name);
    await next();
    c.res.headers.delete(name);
  });
