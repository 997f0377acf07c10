/** Runs the renormaliser in the background: woken by a database notification, with a slow poll as a fallback. */

import type { Registry } from "prom-client";
import { createDatabaseGauges } from "../../http/database-gauges.ts";
import { type PassLoop, startPassLoop } from "../../jobs/pass-loop.ts";
import type { Logger } from "../../logging/logger.ts";
import type { Renormaliser } from "./renormalise.ts";

export { RENORMALISE_CHANNEL } from "./renormalise-store.ts";

// A service of the previous release may run alongside and produce more work.
const POLL_MS = 30_000;
// Batches take a third of the time; refreshes and requests get the rest.
const PAUSE_SHARE = 2;
const PAUSE_MIN_MS = 20;

/** Runs one batch at a time, each followed by a pause. Logs a failed batch and retries it at the next poll. */
export function startRenormaliser({
  renormaliser,
  isOn,
  metrics,
  logger,
}: {
  readonly renormaliser: Renormaliser;
  /** False leaves the work to other processes. */
  readonly isOn: boolean;
  readonly metrics?: Registry;
  readonly logger: Logger;
}): PassLoop {
  if (metrics) registerGauge(metrics, renormaliser);
  return startPassLoop({
    task: "read stored documents again",
    pollMs: POLL_MS,
    isOn,
    logger,
    async pass() {
      const startedAt = performance.now();
      if ((await renormaliser.advance()) !== "moved") return undefined;
      return {
        inMs: 0,
        restMs: Math.max((performance.now() - startedAt) * PAUSE_SHARE, PAUSE_MIN_MS),
      };
    },
  });
}

function registerGauge(registry: Registry, renormaliser: Renormaliser): void {
  createDatabaseGauges(registry, renormaliser.progress).gauge(
    "vitrine_renormalise_tokens_left",
    "Tokens whose stored documents are still to be read again by new rules; the same on every replica",
    (state) => (typeof state?.total === "number" ? state.total - state.done : undefined),
  );
}
