/** Reports to Prometheus when processes count limits separately. */

import { Counter, type Registry } from "prom-client";
import type { OnFault } from "./rate-limiter.ts";

const NAME = "vitrine_rate_limit_fallbacks_total";

/** Replaces the metrics that an earlier start in the same process registered. */
export function createLimitMetrics(registry: Registry): OnFault {
  registry.removeSingleMetric(NAME);
  const fallbacks = new Counter({
    name: NAME,
    help: "Times that the database was unreachable for a limit, and this process counted alone",
    labelNames: ["limit"],
    registers: [registry],
  });
  return (limit) => {
    // An alert sees no increase from nothing to one.
    fallbacks.inc({ limit }, 0);
    return () => fallbacks.inc({ limit });
  };
}
