/** Refresh in Prometheus' terms, on Ponder's public /metrics: no hosts, apps, wallets or collections in labels. */

import { Counter, Gauge, Histogram, type Registry } from "prom-client";
import type { Database } from "../db/database.ts";
import { withTimeout } from "../jobs/timeout.ts";
import { countPausedHosts, readQueueState, sumOpenSweeps, urgencies } from "./queue/overview-store.ts";

// Several scrapers, or one that tries again, cost the database one look.
const REMEMBER_MS = 5_000;
const QUERY_TIMEOUT_MS = 2_000;
// Documents come within a fetch's time limit of 30 seconds per host, and a gateway may be asked after another.
const SECONDS = [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120];

/** How one fetch ended. */
export interface FetchReport {
  /** `retried` for a failure that is tried again without being asked. */
  readonly status: "updated" | "unchanged" | "failed" | "not_found" | "retried";
  /** As receipts have it: a word of a closed set, a colon and more; null where there is none. */
  readonly reason: string | null;
  readonly durationMs: number;
}

export interface RefreshMetrics {
  /** Counts a fetch whose end is committed. Never throws. */
  fetched(end: FetchReport): void;
}

export const noRefreshMetrics: RefreshMetrics = { fetched: () => undefined };

/**
 * Registers the metrics. What the database knows is asked at a scrape, at most every five seconds; while it does not
 * answer within two, those gauges are absent and the scrape goes on.
 */
export function createRefreshMetrics(registry: Registry, database: Database): RefreshMetrics {
  const named = <Label extends string = never>(name: string, help: string, ...labelNames: Label[]) => {
    // A registry outlives this file where the API is loaded again.
    registry.removeSingleMetric(name);
    return { name, help, labelNames, registers: [registry] };
  };
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

/** The word that a reason starts with. The rest of it may name a host. */
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
  const sample = createSampler(database);
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
      "Tokens that wait for a fetch, in the shared queue; the same on every replica",
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
    "How long the token has waited that has waited longest; 0 where none waits",
    ({ queue }) => queue?.oldestSeconds,
  );
  gauge(
    "vitrine_refresh_paused_hosts",
    "Hosts that are paused because they failed again and again",
    ({ pausedHosts }) => pausedHosts,
  );
  gauge(
    "vitrine_refresh_sweeps",
    "Ranges and whole collections that are not all asked for yet",
    ({ sweeps }) => sweeps?.sweeps,
  );
  gauge(
    "vitrine_refresh_sweep_tokens",
    "Tokens that open sweeps have still to ask for, as far as they are counted",
    ({ sweeps }) => sweeps?.tokens,
  );
}

/** What the database knows, as of the last five seconds. Never rejects. */
function createSampler(database: Database): () => Promise<Sample> {
  let kept: { readonly at: number; readonly sample: Promise<Sample> } | undefined;
  return () => {
    if (!kept || Date.now() - kept.at >= REMEMBER_MS) kept = { at: Date.now(), sample: look(database) };
    return kept.sample;
  };
}

async function look(database: Database): Promise<Sample> {
  const [queue, pausedHosts, sweeps] = await Promise.all([
    withTimeout(QUERY_TIMEOUT_MS, readQueueState(database)),
    withTimeout(QUERY_TIMEOUT_MS, countPausedHosts(database)),
    withTimeout(QUERY_TIMEOUT_MS, sumOpenSweeps(database)),
  ]);
  return { queue, pausedHosts, sweeps };
}
