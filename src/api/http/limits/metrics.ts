/** Reports to Prometheus when processes count limits separately. */

import { Counter, type Registry } from "prom-client";
import { metricOptions } from "../metric-options.ts";
import type { OnFault } from "./rate-limiter.ts";

export function createLimitMetrics(registry: Registry): OnFault {
  const fallbacks = new Counter(
    metricOptions(registry)(
      "vitrine_rate_limit_fallbacks_total",
      "Times that the database was unreachable for a limit, and this process counted alone",
      "limit",
    ),
  );
  return (limit) => {
    // An alert sees no increase from nothing to one.
    fallbacks.inc({ limit }, 0);
    return () => fallbacks.inc({ limit });
  };
}
