/** Tells Prometheus when limits are not counted together. */

import { Counter, type Registry } from "prom-client";
import type { OnFault } from "./rate-limiter.ts";

const NAME = "vitrine_rate_limit_fallbacks_total";

/** Takes the place of what an earlier start of the same process has registered. */
export function createLimitMetrics(registry: Registry): OnFault {
  registry.removeSingleMetric(NAME);
  const fallbacks = new Counter({
    name: NAME,
    help: "Times that the database could not be asked for a limit, and this process counted by itself",
    labelNames: ["limit"],
    registers: [registry],
  });
  return (limit) => fallbacks.inc({ limit });
}
