/** The background work of refreshes in one process: the worker, the trigger loop and sampling. */

import type { Registry } from "prom-client";
import { type ReadIssueCounts, startSweepEnds } from "./collections/sweep-ends.ts";
import { startImageSettling } from "./receipts/receipt-images.ts";
import { createReceiptTimeout } from "./receipts/receipt-timeout.ts";
import { type SamplingDeps, startSampling } from "./sampling/service.ts";
import { createChainTriggers } from "./triggers/chain-triggers.ts";
import type { EnqueueMedia } from "./triggers/seen-tokens.ts";
import { createSweeps } from "./triggers/sweeps.ts";
import { startTriggerLoop } from "./triggers/trigger-loop.ts";
import { startRefreshWorker, type WorkerDeps } from "./worker/worker.ts";

export interface RefreshJobsDeps extends WorkerDeps, Omit<SamplingDeps, "hours" | "isOn" | "metrics"> {
  readonly media: EnqueueMedia;
  readonly resampleHours: number;
  readonly registry: Registry;
  /** For the digest of a sweep that has ended. */
  readonly readIssueCounts: ReadIssueCounts;
}

export interface RefreshJobs {
  /** Claims due work now instead of at the next poll. */
  wake(): void;
  /** Handles new rows of the chain index now. */
  wakeForChain(): void;
  stop(): Promise<void>;
}

/** Must be started after the database knows how far the index has been before (see `startHeadMark`). */
export function startRefreshJobs(deps: RefreshJobsDeps): RefreshJobs {
  const { database, tables, metadata, media, logger, concurrency, resampleHours: hours } = deps;
  const worker = startRefreshWorker(deps);
  const triggers = startTriggerLoop({
    triggers: createChainTriggers({ database, tables, metadata, media, logger }),
    sweeps: createSweeps({ database, metadata, media, logger }),
    receiptTimeout: createReceiptTimeout(database),
    logger,
  });
  const imageSettling = startImageSettling(database, logger);
  const sweepEnds = startSweepEnds(deps);
  const sampling = startSampling({ ...deps, hours, isOn: concurrency > 0 });

  return {
    wake: () => worker.wake(),
    wakeForChain: () => triggers.wake(),
    async stop() {
      // Each stops on its own: one that can't stop cleanly must not interrupt the others.
      const ends = await Promise.allSettled([
        triggers.stop(),
        worker.stop(),
        sampling.stop(),
        sweepEnds.stop(),
        imageSettling.stop(),
      ]);
      for (const end of ends) if (end.status === "rejected") throw end.reason;
    },
  };
}
