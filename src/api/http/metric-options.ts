/** The options that every Prometheus metric of ours starts from. */

import type { Registry } from "prom-client";

/**
 * Makes the options of metrics of this registry, which outlives the API's files when they are loaded again: a metric takes
 * the place of an earlier one of its name.
 */
export const metricOptions =
  (registry: Registry) =>
  <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) => {
    registry.removeSingleMetric(name);
    return { name, help, labelNames, registers: [registry] };
  };
