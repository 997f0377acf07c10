/** The chain index in Prometheus metrics, of every process that serves it: one that doesn't index has none of Ponder's. */

import { Gauge, type Registry } from "prom-client";
import { withTimeout } from "../../async/timeout.ts";
import { metricOptions } from "../../http/metric-options.ts";
import type { IndexHeads } from "./index-heads.ts";

// Prometheus gives up a scrape after ten.
const ANSWER_MS = 2_000;

/** Series of chains whose backfill is complete; none while the database does not answer. */
export function createIndexMetrics(registry: Registry, heads: IndexHeads): void {
  new Gauge({
    ...metricOptions(registry)(
      "vitrine_index_block_timestamp_seconds",
      "Time of the newest block in the chain index that this process serves, in Unix seconds",
      "chain",
    ),
    async collect() {
      const found = await withTimeout(
        ANSWER_MS,
        heads.read().catch(() => []),
      );
      this.reset();
      for (const { chainId, timestamp, ready } of found ?? [])
        if (ready) this.set({ chain: chainId }, timestamp);
    },
  });
}
