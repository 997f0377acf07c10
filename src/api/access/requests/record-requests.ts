/** Notes every request while it is answered, and those with a valid key once they are, whatever the answer. */

import { createMiddleware } from "hono/factory";
import type { ApiError } from "../../http/errors.ts";
import { type ApiEnv, toApiError } from "../../http/router.ts";
import { requestBegan, requestEnded } from "../../tracing/requests-in-flight.ts";
import type { EndedRequest } from "./request-log.ts";

/** Put it before everything that answers errors. `record` must not throw and must not take time. */
export const recordRequests = (record: (request: EndedRequest) => void) =>
  createMiddleware<ApiEnv>(async (c, next) => {
    const startedAt = performance.now();
    const requestId = c.get("requestId");
    requestBegan(requestId, startedAt);
    try {
      await next();
    } finally {
      requestEnded(requestId);
    }
    const app = c.get("app");
    if (!app) return;
    record({
      appId: app.id,
      keyId: app.keyId,
      requestId,
      method: c.req.method,
      url: c.req.url,
      path: c.req.path,
      status: c.res.status,
      durationMs: performance.now() - startedAt,
      error: c.error ? described(toApiError(c.error)) : c.get("graphqlError"),
    });
  });

// The error itself would keep what was on its stack, such as the request, as long as it is noted.
const described = ({ code, message, details }: ApiError): EndedRequest["error"] => ({
  code,
  message,
  details,
});
