/** Measures how long requests take to answer. */

import type { MiddlewareHandler } from "hono";
import { createMiddleware } from "hono/factory";
import { routePath } from "hono/route";
import { Histogram, type Registry } from "prom-client";

const NAME = "vitrine_http_request_duration_seconds";
// From an answer kept in memory to a search that is given up.
const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/**
 * Returns a middleware that measures each request until its answer begins. `path` is the route that answered, and of a
 * request that a middleware refused, the middleware's. Replaces the metric that an earlier start in the same process
 * registered.
 */
export function createRequestMetrics(registry: Registry): MiddlewareHandler {
  registry.removeSingleMetric(NAME);
  const durations = new Histogram({
    name: NAME,
    help: "Seconds from a request's arrival to the beginning of its answer",
    labelNames: ["method", "path", "status"],
    buckets: BUCKETS,
    registers: [registry],
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
