/** Headers that every answer of a busy route carries. */

import type { ServerResponse } from "node:http";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";

interface NodeEnv {
  readonly outgoing?: Pick<ServerResponse, "headersSent" | "setHeader" | "removeHeader">;
}

/**
 * Sets a header of the answer, whatever becomes of the request. On @hono/node-server it goes to Node's own response:
 * a `Headers` object validates, copies and sorts what it holds several times on its way, which costs a short answer a
 * tenth of its time.
 */
export function setHeader(c: Context, name: string, value: string): void {
  const outgoing = (c.env as NodeEnv | undefined)?.outgoing;
  if (outgoing && !outgoing.headersSent) outgoing.setHeader(name, value);
  else c.header(name, value);
}

/**
 * Moves the headers that middleware of Ponder's (its CORS) has put on `c.res` to Node's own response. Hono
 * would merge them into each answer by building it a second time, as a stream that @hono/node-server
 * then has to read: a fifth of the time of a short answer. `withoutHeader` takes one back.
 */
export const moveHeadersToNode = createMiddleware((c, next) => {
  const outgoing = (c.env as NodeEnv | undefined)?.outgoing;
  if (outgoing && !outgoing.headersSent) {
    for (const [name, value] of c.res.headers) outgoing.setHeader(name, value);
    c.res = undefined;
    // Setting `res` has marked the request as answered.
    c.finalized = false;
  }
  return next();
});

/** Leaves a header of earlier middleware out of the answer, whichever way it was set. */
export const withoutHeader = (name: string) =>
  createMiddleware(async (c, next) => {
    (c.env as NodeEnv | undefined)?.outgoing?.removeHeader(name);
    await next();
    c.res.headers.delete(name);
  });
