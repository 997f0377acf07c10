/** Measures how long requests take to answer. */

import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import { Histogram, type Registry } from "prom-client";
import { metricOptions } from "./metric-options.ts";

// From an answer kept in memory to a search that is given up.
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Returns a middleware that measures each request until its answer begins. `path` is the route that answered, and of a
 * request that a middleware refused, the middleware's.
 */
export function createRequestMetrics(registry: Registry): MiddlewareHandler {
  const durations = new Histogram({
    ...metricOptions(registry)(
      "vitrine_http_request_duration_seconds",
      "Seconds from a request's arrival to the beginning of its answer",
      "method",
      "path",
      "status",
    ),
    buckets: BUCKETS,
  });
  return createMiddleware(async (c, next) => {
    const startedAt = performance.now();
    await next();
    const status = `${Math.floor(c.res.status / 100)}XX`;
    durations.observe(
      { method: c.req.method, path: routePath(c), status },
      (performance.now() - startedAt) / 1000,
    );
  });
}
