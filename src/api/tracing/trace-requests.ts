/** A span for each HTTP request, which continues the caller's trace (W3C Trace Context). */

import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import { redactText } from "../http/text/redact.ts";
import { inOwnSpan, isTracing, markFailed, SpanKind } from "./spans.ts";

const PATH_LENGTH_MAX = 500;

/** Put it after the request's id and before everything that answers. Query parameters may be secrets, so no span has them. */
export const traceRequests = createMiddleware<{ Variables: { requestId: string } }>((c, next) => {
  if (!isTracing()) return next();
  const { method, path } = c.req;
  const requestId = c.get("requestId");
  const details = {
    kind: SpanKind.SERVER,
    requestId,
    parent: { traceparent: c.req.header("traceparent"), tracestate: c.req.header("tracestate") },
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
