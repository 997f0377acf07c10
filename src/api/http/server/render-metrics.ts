/** Caches rendered metrics: rendering them takes milliseconds of the event loop. */

import type { Registry } from "prom-client";
import { cached } from "../../async/promise-cache.ts";

/** Makes `registry.metrics()` render at most once per `everyMs`, and return its last result in between. */
export function renderAtMostEvery(
  registry: Pick<Registry, "metrics">,
  everyMs: number,
  now?: () => number,
): void {
  registry.metrics = cached(registry.metrics.bind(registry), { ttlMs: everyMs, now }).read;
}
