/** Background work in passes: a pass runs when something wakes the loop, and at a slow poll as a fallback. */

import { setMaxListeners } from "node:events";
import { isDatabaseAway } from "../db/database-away.ts";
import type { Logger } from "../logging/logger.ts";
import { runInScope } from "../tracing/spans.ts";

/** When the next pass should run. Milliseconds after this one ends, like all times here. */
export interface NextPass {
  /** Overrides `pollMs`; `Infinity` waits for a wake. */
  readonly inMs?: number | undefined;
  /** Overrides the loop's `restMs`. */
  readonly restMs?: number | undefined;
}

export interface PassLoopOptions {
  /** Completes the sentence "Could not …" in the log. */
  readonly task: string;
  /** The signal is aborted when the loop stops. */
  pass(signal: AbortSignal): Promise<NextPass | undefined> | Promise<void>;
  /** The time until the next pass when nothing wakes the loop. */
  readonly pollMs: number;
  /** The time until the first pass; 0 by default: it begins before `startPassLoop` returns. */
  readonly firstMs?: number;
  /** The minimum time between passes, so that wakes that come in bursts share a pass. 0 by default. */
  readonly restMs?: number;
  /** The time until the next pass after a failure; `pollMs` by default. */
  readonly afterFaultMs?: number;
  /** False creates a loop that never runs a pass. */
  readonly isOn?: boolean;
  readonly logger: Logger;
}

export interface PassLoop {
  /** Requests a pass within this time; now by default. Any number of wakes during a pass cause one more. */
  wake(withinMs?: number): void;
  /** Starts no other pass, and resolves when none is running. */
  stop(): Promise<void>;
}

/**
 * One pass at a time. A pass that fails is logged, and the next one tries again; while the database is away, only the
 * first is logged, and then that one has succeeded. The timers don't keep the process alive.
 */
export function startPassLoop(options: PassLoopOptions): PassLoop {
  const { task, pass, pollMs, firstMs = 0, afterFaultMs = pollMs, isOn = true, logger } = options;
  const stopping = new AbortController();
  // Everything that a pass starts may add a listener.
  setMaxListeners(0, stopping.signal);
  let isRunning = false;
  let running: Promise<void> | undefined;
  let timer: NodeJS.Timeout | undefined;
  let dueAt = Number.POSITIVE_INFINITY;
  let restUntil = 0;
  /** Passes that have failed since the database went away, of which the first was logged. */
  let failedAway = 0;

  async function run(): Promise<void> {
    clearTimeout(timer);
    dueAt = Number.POSITIVE_INFINITY;
    isRunning = true;
    const { inMs = pollMs, restMs = options.restMs ?? 0 } = await passSafely();
    isRunning = false;
    const endedAt = performance.now();
    restUntil = endedAt + restMs;
    dueAt = Math.min(dueAt, endedAt + inMs);
    schedule();
  }

  async function passSafely(): Promise<NextPass> {
    try {
      const next = (await pass(stopping.signal)) ?? {};
      if (failedAway > 0) logger.info({ msg: `Could ${task} again`, failed_passes: failedAway });
      failedAway = 0;
      return next;
    } catch (error) {
      if (!stopping.signal.aborted) report(error as Error);
      return { inMs: afterFaultMs };
    }
  }

  function report(error: Error): void {
    if (isDatabaseAway(error) && ++failedAway > 1) return;
    logger.warn({ msg: `Could not ${task}`, reason: error.message });
  }

  /** A pass belongs to nobody, whoever woke the loop. */
  function begin(): void {
    running = runInScope(undefined, run);
  }

  function schedule(): void {
    if (isRunning || stopping.signal.aborted) return;
    clearTimeout(timer);
    const ms = Math.max(dueAt, restUntil) - performance.now();
    if (ms <= 0) begin();
    else if (ms < Number.POSITIVE_INFINITY) timer = setTimeout(begin, ms).unref();
  }

  function wake(withinMs = 0): void {
    const at = performance.now() + withinMs;
    if (!isOn || at >= dueAt) return;
    dueAt = at;
    schedule();
  }

  wake(firstMs);
  return {
    wake,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      await running;
    },
  };
}
