/** Counts the errors that REST answers, by their code. */

import { Counter, type Registry } from "prom-client";

const NAME = "vitrine_http_errors_total";

/** Returns what counts one error. Replaces the metric that an earlier start in the same process registered. */
export function createErrorMetrics(registry: Registry): (code: string) => void {
  registry.removeSingleMetric(NAME);
  const errors = new Counter({
    name: NAME,
    help: "Errors that REST answered, by their code",
    labelNames: ["code"],
    registers: [registry],
  });
  return (code) => errors.inc({ code });
}
