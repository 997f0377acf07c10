/** Counts the errors that REST answers, by their code. */

import { Counter, type Registry } from "prom-client";
import { metricOptions } from "./metric-options.ts";

/** Returns what counts one error. */
export function createErrorMetrics(registry: Registry): (code: string) => void {
  const named = metricOptions(registry);
  const errors = new Counter(
    named("vitrine_http_errors_total", "Errors that REST answered, by their code", "code"),
  );
  return (code) => errors.inc({ code });
}
