/** A span for each HTTP request (W3C Trace Context). */

import type { Link } from "@opentelemetry/api";
import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import { redactText } from "../logging/redact.ts";
import { inOwnSpan, isTracing, linkTo, markFailed, type RemoteParent, SpanKind } from "./spans.ts";

const PATH_LENGTH_MAX = 500;

/**
 * Put it after the request's id and before everything that answers. It continues the trace of a trusted caller. Anybody
 * can send the header, and its flag would have the trace sampled: what others send is linked. Query parameters may be
 * secrets, so no span has them.
 */
export const traceRequests = (isTrusted: (c: Context) => boolean) =>
  createMiddleware<{ Variables: { requestId: string } }>((c, next) => {
    if (!isTracing()) return next();
    const { method, path } = c.req;
    const requestId = c.get("requestId");
    const details = {
      kind: SpanKind.SERVER,
      requestId,
      ...callerOf(c, isTrusted),
      attributes: {
        "http.request.method": method,
        "url.path": redactText(path).slice(0, PATH_LENGTH_MAX),
        "request.id": requestId,
      },
    };
    return inOwnSpan(method, details, async (span) => {
      await next();
      const { status } = c.res;
      span?.setAttribute("http.response.status_code", status);
      if (span && status >= 500) markFailed(span, String(status));
      // The last route that ran: for a request that a middleware refused, the middleware's.
      const route = routePath(c);
      if (/^\/?\*?$/.test(route) && path !== "/") return;
      span?.updateName(`${method} ${route}`);
      span?.setAttribute("http.route", route);
    });
  });

function callerOf(
  c: Context,
  isTrusted: (c: Context) => boolean,
): { readonly parent?: RemoteParent; readonly links?: Link[] } {
  const traceparent = c.req.header("traceparent");
  if (traceparent === undefined) return {};
  if (isTrusted(c)) return { parent: { traceparent, tracestate: c.req.header("tracestate") } };
  const link = linkTo(traceparent);
  return link ? { links: [link] } : {};
}
