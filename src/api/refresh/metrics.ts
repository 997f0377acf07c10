/**
 * Prometheus metrics of refreshes, on Ponder's public /metrics: no host, app, wallet or collection appears in a label.
 */

import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import { cached } from "../async/promise-cache.ts";
import { withTimeout } from "../async/timeout.ts";
import type { Database } from "../db/database.ts";
import { metricOptions } from "../http/metric-options.ts";
import { countPausedHosts, readQueueState, sumOpenSweeps, urgencies } from "./queue/overview-store.ts";

// Several scrapers, or one that retries, share one database read.
const REMEMBER_MS = 5_000;
const QUERY_TIMEOUT_MS = 2_000;
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

/**
 * Registers the metrics. The database is read at a scrape, at most every five seconds. If it takes longer than two, its
 * gauges are left out and the scrape goes on.
 */
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
  registerGauges(named, database);

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

type Named = <Label extends string>(
  name: string,
  help: string,
  ...labels: Label[]
) => { name: string; help: string; labelNames: Label[]; registers: Registry[] };

interface Sample {
  readonly queue: Awaited<ReturnType<typeof readQueueState>> | undefined;
  readonly pausedHosts: number | undefined;
  readonly sweeps: Awaited<ReturnType<typeof sumOpenSweeps>> | undefined;
}

function registerGauges(named: Named, database: Database): void {
  const sample = cached(() => readSample(database), { ttlMs: REMEMBER_MS }).read;
  const gauge = (name: string, help: string, pick: (sample: Sample) => number | undefined): void => {
    new Gauge({
      ...named(name, help),
      async collect() {
        const value = pick(await sample());
        if (value === undefined) this.remove();
        else this.set(value);
      },
    });
  };
  new Gauge({
    ...named(
      "vitrine_refresh_queue_tokens",
      "Tokens waiting for a fetch in the shared queue; the same on every replica",
      "priority",
    ),
    async collect() {
      const { queue } = await sample();
      for (const priority of new Set(Object.values(urgencies))) {
        if (queue === undefined) this.remove({ priority });
        else this.set({ priority }, queue.waiting[priority]);
      }
    },
  });
  gauge(
    "vitrine_refresh_queue_oldest_seconds",
    "How long the oldest waiting token has waited; 0 if none waits",
    ({ queue }) => queue?.oldestSeconds,
  );
  gauge(
    "vitrine_refresh_paused_hosts",
    "Metadata hosts that are paused (circuit breaker open)",
    ({ pausedHosts }) => pausedHosts,
  );
  gauge(
    "vitrine_refresh_sweeps",
    "Sweeps of ranges and whole collections whose tokens are not all queued yet",
    ({ sweeps }) => sweeps?.sweeps,
  );
  gauge(
    "vitrine_refresh_sweep_tokens",
    "Tokens that open sweeps have yet to queue, as far as they are counted",
    ({ sweeps }) => sweeps?.tokens,
  );
}

/** Reads the current state from the database. Never rejects. */
async function readSample(database: Database): Promise<Sample> {
  const [queue, pausedHosts, sweeps] = await Promise.all([
    withTimeout(QUERY_TIMEOUT_MS, readQueueState(database)),
    withTimeout(QUERY_TIMEOUT_MS, countPausedHosts(database)),
    withTimeout(QUERY_TIMEOUT_MS, sumOpenSweeps(database)),
  ]);
  return { queue, pausedHosts, sweeps };
}
