/** Prometheus metrics of webhooks, on Ponder's public /metrics: no app, webhook, host or collection is in a label. */

import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { cached } from "../async/promise-cache.ts";
import { withTimeout } from "../async/timeout.ts";
import type { Database } from "../db/database.ts";
import { metricOptions } from "../http/metric-options.ts";
import { type DeliveryState, readDeliveryState } from "./delivery-store.ts";

const REMEMBER_MS = 5_000;
const QUERY_TIMEOUT_MS = 2_000;
const SECONDS = [0.01, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15];

/** `retried`: failed, and due again later. `failed`: given up, so that its webhook is paused, or a failed test or resend. */
export type Outcome = "delivered" | "retried" | "failed";

export interface WebhookMetrics {
  /** Counts an attempt whose outcome is committed. Never throws. */
  attempted(outcome: Outcome, durationMs: number): void;
}

/** Registers the metrics. The database is read at a scrape, at most every five seconds; without an answer in two, the gauges are left out. */
export function createWebhookMetrics(registry: Registry, database: Database): WebhookMetrics {
  const named = metricOptions(registry);
  const deliveries = new Counter(
    named("vitrine_webhook_deliveries_total", "Attempts of webhook deliveries, in this process", "outcome"),
  );
  const duration = new Histogram({
    ...named("vitrine_webhook_delivery_seconds", "How long receivers took to answer", "outcome"),
    buckets: SECONDS,
  });
  const { read } = cached(() => readDeliveryState(database), { ttlMs: REMEMBER_MS });
  const gauge = (name: string, help: string, pick: (state: DeliveryState) => number): void => {
    new Gauge({
      ...named(name, help),
      async collect() {
        const state = await withTimeout(QUERY_TIMEOUT_MS, read());
        if (state) this.set(pick(state));
        else this.remove();
      },
    });
  };
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
