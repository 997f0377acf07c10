/** Prometheus metrics of webhooks, on Ponder's public /metrics: no app, webhook, host or collection is in a label. */

import { Counter, Histogram, type Registry } from "prom-client";
import type { Database } from "../db/database.ts";
import { createDatabaseGauges } from "../http/database-gauges.ts";
import { metricOptions } from "../http/metric-options.ts";
import { readDeliveryState } from "./delivery-store.ts";

const SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** `retried`: failed, and due again later. `failed`: given up, so that its webhook is paused, or a failed test or resend. */
export type Outcome = "delivered" | "retried" | "failed";

export interface WebhookMetrics {
  /** Counts an attempt whose outcome is committed. Never throws. */
  attempted(outcome: Outcome, durationMs: number): void;
}

/** Registers the metrics, with gauges of what the database has. */
export function createWebhookMetrics(registry: Registry, database: Database): WebhookMetrics {
  const named = metricOptions(registry);
  const deliveries = new Counter(
    named("vitrine_webhook_deliveries_total", "Attempts of webhook deliveries, in this process", "outcome"),
  );
  const duration = new Histogram({
    ...named("vitrine_webhook_delivery_seconds", "How long receivers took to answer", "outcome"),
    buckets: SECONDS,
  });
  const { gauge } = createDatabaseGauges(registry, () => readDeliveryState(database));
  gauge(
    "vitrine_webhook_lag_seconds",
    "Age of the oldest delivery that an active webhook has yet to get",
    ({ lagSeconds }) => lagSeconds,
  );
  gauge("vitrine_webhook_pending", "Deliveries not yet made", ({ pending }) => pending);
  gauge("vitrine_webhooks_paused", "Webhooks that are paused, for whatever reason", ({ paused }) => paused);

  return {
    attempted(outcome, durationMs) {
      deliveries.inc({ outcome });
      duration.observe({ outcome }, durationMs / 1_000);
    },
  };
}
