/** Gauges whose values the database has, read at a scrape. */

import { Gauge, type Registry } from "prom-client";
import { cached } from "../async/promise-cache.ts";
import { withTimeout } from "../async/timeout.ts";
import { metricOptions } from "./metric-options.ts";

// Several scrapers, or one that retries, share one read.
const REMEMBER_MS = 5_000;
const TIMEOUT_MS = 2_000;

/**
 * Registers gauges of what `read` returns. It is called at most every five seconds; without an answer in two, its gauges
 * are left out and the scrape goes on.
 */
export function createDatabaseGauges<State>(registry: Registry, read: () => Promise<State>) {
  const named = metricOptions(registry);
  const latest = cached(() => withTimeout(TIMEOUT_MS, read()), { ttlMs: REMEMBER_MS }).read;
  return {
    /** Left out while `pick` returns undefined. */
    gauge(name: string, help: string, pick: (state: State) => number | undefined): void {
      new Gauge({
        ...named(name, help),
        async collect() {
          const state = await latest();
          const value = state === undefined ? undefined : pick(state);
          if (value === undefined) this.remove();
          else this.set(value);
        },
      });
    },
    /** One series for each of the label's values, all of which `pick` returns. */
    gaugeBy<Value extends string>(
      { name, help, label, values }: SeriesNames<Value>,
      pick: (state: State) => Readonly<Record<Value, number>>,
    ): void {
      new Gauge({
        ...named(name, help, label),
        async collect() {
          const state = await latest();
          for (const value of values) {
            if (state === undefined) this.remove({ [label]: value });
            else this.set({ [label]: value }, pick(state)[value]);
          }
        },
      });
    },
  };
}

interface SeriesNames<Value extends string> {
  readonly name: string;
  readonly help: string;
  readonly label: string;
  readonly values: Iterable<Value>;
}
