/** Prometheus metrics of sampling, on Ponder's public /metrics: no host or collection appears in a label. */

import { Counter, type Registry } from "prom-client";
import { metricOptions } from "../../http/metric-options.ts";

/** What was sampled: the URI that the contract returns, or the document behind it. */
export type Sampled = "uri" | "document";

export interface SamplingMetrics {
  /** Counts the outcome of a round. Never throws. */
  round(outcome: "unchanged" | "changed" | "postponed"): void;
  tokens(what: Sampled, count: number): void;
  changes(what: Sampled, count: number): void;
  /** A sweep was started because `what` had changed. */
  sweep(what: Sampled): void;
}

/** Registers the counters; each counts the work of this process. */
export function createSamplingMetrics(registry: Registry): SamplingMetrics {
  const named = metricOptions(registry);
  const counter = <Label extends string>(name: string, help: string, label: Label): Counter<Label> =>
    new Counter(named(name, help, label));
  const rounds = counter(
    "vitrine_sample_rounds_total",
    "Rounds of samples that ended, in this process",
    "outcome",
  );
  const tokens = counter(
    "vitrine_sample_tokens_total",
    "Tokens that were sampled, in this process: their URI read, or their document fetched",
    "what",
  );
  const changes = counter(
    "vitrine_sample_changes_total",
    "Samples that had changed without an event, in this process",
    "what",
  );
  const sweeps = counter(
    "vitrine_sample_sweeps_total",
    "Sweeps that were started by samples, in this process, by what had changed",
    "what",
  );
  return {
    round: (outcome) => rounds.inc({ outcome }),
    tokens: (what, count) => tokens.inc({ what }, count),
    changes: (what, count) => changes.inc({ what }, count),
    sweep: (what) => sweeps.inc({ what }),
  };
}

export const noSamplingMetrics: SamplingMetrics = {
  round: () => undefined,
  tokens: () => undefined,
  changes: () => undefined,
  sweep: () => undefined,
};
