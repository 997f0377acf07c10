/**
 * Prometheus metrics of refreshes, on Ponder's public /metrics: no host, app, wallet or collection appears in a label.
 */

import { Counter, Histogram, type Registry } from "prom-client";
import type { Database } from "../db/database.ts";
import { createDatabaseGauges } from "../http/database-gauges.ts";
import { metricOptions } from "../http/metric-options.ts";
import { countPausedHosts, readQueueState, sumOpenSweeps, urgencies } from "./queue/overview-store.ts";

// A fetch takes at most 30 seconds per host, and may try several gateways.
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** The outcome of one fetch. */
export interface FetchReport {
  /** `retried`: failed, and will be retried without a new request. */
  readonly status: "updated" | "unchanged" | "failed" | "not_found" | "retried";
  /** As in receipts: a word of a closed set, a colon and details; null if there is none. */
  readonly reason: string | null;
  readonly durationMs: number;
}

export interface RefreshMetrics {
  /** Counts a fetch whose outcome is committed. Never throws. */
  fetched(end: FetchReport): void;
}

export const noRefreshMetrics: RefreshMetrics = { fetched: () => undefined };

/** Registers the metrics, with gauges of what the database has. */
export function createRefreshMetrics(registry: Registry, database: Database): RefreshMetrics {
  const named = metricOptions(registry);
  const fetches = new Counter(
    named("vitrine_refresh_fetches_total", "Fetches that ended, in this process", "outcome", "reason"),
  );
  const versions = new Counter(
    named(
      "vitrine_refresh_versions_total",
      "Versions written by fetches that ended a request, in this process: served, or kept as failed",
      "kind",
    ),
  );
  const duration = new Histogram({
    ...named("vitrine_refresh_fetch_duration_seconds", "From the contract's URI to the document", "outcome"),
    buckets: SECONDS,
  });
  registerGauges(registry, database);

  return {
    fetched({ status: outcome, reason, durationMs }) {
      fetches.inc({ outcome, reason: reasonLabel(reason) });
      duration.observe({ outcome }, durationMs / 1000);
      if (outcome === "updated") versions.inc({ kind: "served" });
      if (outcome === "failed") versions.inc({ kind: "failed" });
    },
  };
}

/** The first word of a reason. The rest may name a host. */
const reasonLabel = (reason: string | null): string =>
  reason === null ? "none" : (/^([a-z_]{1,40})(?::|$)/.exec(reason)?.[1] ?? "other");

function registerGauges(registry: Registry, database: Database): void {
  const queue = createDatabaseGauges(registry, () => readQueueState(database));
  queue.gaugeBy(
    {
      name: "vitrine_refresh_queue_tokens",
      help: "Tokens waiting for a fetch in the shared queue; the same on every replica",
      label: "priority",
      values: new Set(Object.values(urgencies)),
    },
    ({ waiting }) => waiting,
  );
  queue.gauge(
    "vitrine_refresh_queue_oldest_seconds",
    "How long the oldest waiting token has waited; 0 if none waits",
    ({ oldestSeconds }) => oldestSeconds,
  );
  createDatabaseGauges(registry, () => countPausedHosts(database)).gauge(
    "vitrine_refresh_paused_hosts",
    "Metadata hosts that are paused (circuit breaker open)",
    (hosts) => hosts,
  );
  const sweeps = createDatabaseGauges(registry, () => sumOpenSweeps(database));
  sweeps.gauge(
    "vitrine_refresh_sweeps",
    "Sweeps of ranges and whole collections whose tokens are not all queued yet",
    (open) => open.sweeps,
  );
  sweeps.gauge(
    "vitrine_refresh_sweep_tokens",
    "Tokens that open sweeps have yet to queue, as far as they are counted",
    ({ tokens }) => tokens,
  );
}
