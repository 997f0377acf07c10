/**
 * Finds work for the refresh queue, separately from the worker: woken by the database, with a slow poll as a fallback.
 */

import { backgroundRest } from "../../jobs/background-rest.ts";
import { type PassLoop, startPassLoop } from "../../jobs/pass-loop.ts";
import type { Logger } from "../../logging/logger.ts";
import type { ReceiptTimeout } from "../receipts/receipt-timeout.ts";
import type { ChainTriggers, Handled } from "./chain-triggers.ts";
import type { Sweeps } from "./sweeps.ts";

// A reverted block sends no notification, so the poll finds it.
const POLL_MS = 1_000;
// After a reorg a batch reads all triggers that may still change, of which a burst leaves many: one that took long rests as
// long.
const LONG_MS = 100;
// The queue takes the next tokens of a sweep as soon as it has capacity.
const SWEEP_POLL_MS = 100;

/** Milliseconds of rest after a batch that took `tookMs`. */
export function restAfter(tookMs: number, { isMore, isBackfill }: Handled): number {
  // Building the chain index comes first.
  if (isBackfill) return backgroundRest(tookMs);
  return isMore || tookMs < LONG_MS ? 0 : tookMs;
}

/**
 * A pass handles all chain triggers, advances sweeps as far as the queue has capacity, and then times out receipts. Call
 * `wake` when the chain index has advanced: at a sweep's polls, reading triggers would cost more than the sweep does.
 */
export function startTriggerLoop(deps: {
  readonly triggers: ChainTriggers;
  readonly sweeps: Sweeps;
  readonly receiptTimeout: ReceiptTimeout;
  readonly logger: Logger;
}): PassLoop {
  const { triggers, sweeps, receiptTimeout, logger } = deps;
  let hasChainMoved = true;
  let isLeft = false;
  let isBackfill = false;
  let handledAt = 0;
  let restMs = 0;

  /** Milliseconds until triggers are due. */
  function dueIn(): number {
    const pauseMs = Math.max(restMs, isLeft || hasChainMoved ? 0 : POLL_MS);
    return Math.max(0, handledAt + pauseMs - performance.now());
  }

  async function handleDue(): Promise<void> {
    if (dueIn() > 0) return;
    const startedAt = performance.now();
    // Reset before the batch is read: a later change may not be in it.
    hasChainMoved = false;
    isLeft = false;
    try {
      ({ isMore: isLeft, isBackfill } = await triggers.handleBatch());
    } finally {
      handledAt = performance.now();
      restMs = restAfter(handledAt - startedAt, { isMore: isLeft, isBackfill });
    }
  }

  const loop = startPassLoop({
    task: "handle chain triggers",
    pollMs: POLL_MS,
    logger,
    async pass(signal) {
      let isSweepWaiting = false;
      let more = true;
      while (more && !signal.aborted) {
        await handleDue();
        const progress = await sweeps.advance();
        more = (isLeft && dueIn() === 0) || progress === "moved";
        isSweepWaiting = progress === "waiting";
      }
      await receiptTimeout.check();
      return { inMs: Math.min(isSweepWaiting ? SWEEP_POLL_MS : POLL_MS, dueIn()) };
    },
  });
  return {
    wake(withinMs) {
      hasChainMoved = true;
      loop.wake(withinMs);
    },
    stop: loop.stop,
  };
}
