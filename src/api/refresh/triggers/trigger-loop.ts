/** Runs the finding of work beside the worker: woken by the database, with a slow poll as the rule of last resort. */

import type { Logger } from "../../http/logger.ts";
import type { ReceiptTimeout } from "../receipts/receipt-timeout.ts";
import type { ChainTriggers } from "./chain-triggers.ts";
import type { Sweeps } from "./sweeps.ts";

// A reverted block sends no notification, so the poll finds what nobody announced.
const POLL_MS = 1_000;
// The queue takes its next handful of a sweep as soon as it has room.
const SWEEP_POLL_MS = 100;

export interface TriggerLoop {
  wake(): void;
  stop(): Promise<void>;
}

/** One pass at a time; a wake during a pass causes one more. A failing pass is logged and tried at the next poll. */
export function startTriggerLoop(deps: {
  readonly triggers: ChainTriggers;
  readonly sweeps: Sweeps;
  readonly deadline: ReceiptTimeout;
  readonly logger: Logger;
}): TriggerLoop {
  const { triggers, sweeps, deadline, logger } = deps;
  let stopped = false;
  let again = false;
  let pass: Promise<void> | undefined;
  let shortTimer: NodeJS.Timeout | undefined;

  async function work(): Promise<void> {
    try {
      let more = true;
      while (more && !stopped) {
        const isLeft = await triggers.handleBatch();
        const progress = await sweeps.advance();
        more = isLeft || progress === "moved";
        if (progress === "waiting") shortTimer ??= setTimeout(wakeAgain, SWEEP_POLL_MS);
      }
      await deadline.look();
    } catch (error) {
      if (!stopped)
        logger.warn({ msg: "Could not look for refresh causes", reason: (error as Error).message });
    }
  }

  function wake(): void {
    if (stopped) return;
    if (pass) {
      again = true;
      return;
    }
    pass = work().finally(() => {
      pass = undefined;
      if (!again) return;
      again = false;
      wake();
    });
  }

  function wakeAgain(): void {
    shortTimer = undefined;
    wake();
  }

  const timer = setInterval(wake, POLL_MS);
  wake();
  return {
    wake,
    async stop() {
      stopped = true;
      clearInterval(timer);
      await pass;
      clearTimeout(shortTimer);
    },
  };
}
