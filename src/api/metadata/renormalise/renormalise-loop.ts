/** Runs the reading of stored documents in the background: woken by the database, with a slow poll as the last resort. */

import { setTimeout as sleep } from "node:timers/promises";
import { Gauge, type Registry } from "prom-client";
import { withTimeout } from "../../jobs/timeout.ts";
import { createRenormaliser, type Renormaliser, type RenormaliserDeps } from "./renormalise.ts";

export { RENORMALISE_CHANNEL } from "./renormalise-store.ts";

// A service of a release before may go on beside this one and leave more to do.
const POLL_MS = 30_000;
// Batches take a third of the time, so that refreshes and requests have the rest.
const PAUSE_SHARE = 2;
const PAUSE_MIN_MS = 20;
const SCRAPE_MS = 2_000;

export interface RunningRenormaliser extends Renormaliser {
  wake(): void;
  /** Resolves when nothing runs. */
  stop(): Promise<void>;
}

/** One batch at a time, each followed by a pause. A batch that fails is logged and tried again at the next poll. */
export function startRenormaliser(
  deps: RenormaliserDeps & {
    /** False leaves the work to other processes. */
    readonly isOn: boolean;
    readonly metrics?: Registry;
  },
): RunningRenormaliser {
  const { isOn, metrics, logger } = deps;
  const renormaliser = createRenormaliser(deps);
  if (metrics) registerGauge(metrics, renormaliser);
  const stopping = new AbortController();
  let isWoken = false;
  let pass: Promise<void> | undefined;

  async function work(): Promise<void> {
    try {
      while (isWoken && !stopping.signal.aborted) {
        isWoken = false;
        while (!stopping.signal.aborted) {
          const startedAt = performance.now();
          if ((await renormaliser.advance()) !== "moved") break;
          const pauseMs = Math.max((performance.now() - startedAt) * PAUSE_SHARE, PAUSE_MIN_MS);
          await sleep(pauseMs, undefined, { signal: stopping.signal }).catch(() => undefined);
        }
      }
    } catch (error) {
      if (!stopping.signal.aborted)
        logger.warn({ msg: "Could not read stored documents again", reason: (error as Error).message });
    }
  }

  function wake(): void {
    if (!isOn || stopping.signal.aborted) return;
    isWoken = true;
    pass ??= work().finally(() => {
      pass = undefined;
      if (isWoken) wake();
    });
  }

  const timer = setInterval(wake, POLL_MS);
  wake();
  return {
    ...renormaliser,
    wake,
    async stop() {
      stopping.abort();
      clearInterval(timer);
      await pass;
    },
  };
}

function registerGauge(registry: Registry, renormaliser: Renormaliser): void {
  const name = "vitrine_renormalise_tokens_left";
  // A registry outlives this file where the API is loaded again.
  registry.removeSingleMetric(name);
  new Gauge({
    name,
    help: "Tokens whose stored documents are still to be read again by new rules; the same on every replica",
    registers: [registry],
    async collect() {
      const state = await withTimeout(SCRAPE_MS, renormaliser.progress());
      if (typeof state?.total === "number") this.set(state.total - state.done);
      else this.remove();
    },
  });
}
