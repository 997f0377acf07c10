/** Works a queue of leases: what a process has claimed is its own while it renews the lease, and nobody's soon after it dies. */

import type { Logger } from "../http/logger.ts";
import { type PassLoop, startPassLoop } from "./pass-loop.ts";

// A claim for each free place costs more than the work: places are gathered for a moment, unless no more than this share
// of them is taken.
const CLAIM_DELAY_MS = 20;
const CLAIM_SHARE = 1 / 4;
const AFTER_FAULT_MS = 1_000;

/** To be thrown by a run that finds its lease taken over: no fault, and nothing of the run was kept. */
export class LeaseLost extends Error {}

export interface LeaseRun {
  /** Aborted when the worker stops. */
  readonly signal: AbortSignal;
  /** Gives the place to another lease before the run ends, as when only the recording is left. */
  freePlace(): void;
}

export interface LeaseWorkerOptions<Lease> {
  /** What a lease is for, in the singular: "refresh". Named by the log. */
  readonly work: string;
  /** Leases that are worked on at once; 0 leaves the queue to other processes. */
  readonly concurrency: number;
  /** Runs that may go on after they have given up their place. 0 by default. */
  readonly finishingMax?: number;
  /** Milliseconds, like all times here: from one claim to the next while nothing wakes the worker. */
  readonly pollMs: number;
  /** The same while leases run, or work is due that can't be claimed yet. `pollMs` by default. */
  readonly busyPollMs?: number;
  /** From one renewal to the next; a lease should last for three. */
  readonly renewMs: number;
  readonly logger: Logger;
  /** Claims what is due, at most `free` leases. */
  claim(free: number): Promise<readonly Lease[]>;
  /** How long until something is due; undefined when nothing waits. Asked when no lease runs. */
  nextDueMs?(): Promise<number | undefined>;
  renew(leases: readonly Lease[]): Promise<void>;
  /** Returns leases to the queue as if they had never been claimed. */
  release(leases: readonly Lease[]): Promise<void>;
  /** Works on a lease, and ends or reschedules it. */
  run(lease: Lease, run: LeaseRun): Promise<void>;
  /** After a run failed by a fault of ours, which is logged. The lease runs out unless this ends or reschedules it. */
  onFault?(lease: Lease): Promise<void>;
  /** What the log says of a lease. */
  describe(lease: Lease): Readonly<Record<string, unknown>>;
}

/** `stop` claims nothing more, releases what runs so that other processes can claim it, and resolves when nothing runs. */
export type LeaseWorker = PassLoop;

/** Never rejects: a claim or a renewal that fails is logged and tried again, a run that fails is logged. */
export function startLeaseWorker<Lease>(options: LeaseWorkerOptions<Lease>): LeaseWorker {
  const { work, concurrency, finishingMax = 0, pollMs, busyPollMs = pollMs, logger } = options;
  const running = new Map<Lease, Promise<void>>();
  let taken = 0;

  const claiming = startPassLoop({
    task: `claim ${work} leases`,
    pollMs,
    afterFaultMs: Math.min(pollMs, AFTER_FAULT_MS),
    isOn: concurrency > 0,
    logger,
    async pass(signal) {
      const free = Math.min(concurrency - taken, concurrency + finishingMax - running.size);
      if (free <= 0) return undefined;
      const leases = await options.claim(free);
      if (signal.aborted) {
        await release(leases);
        return undefined;
      }
      for (const lease of leases) {
        const ending = runLease(lease, signal).finally(() => {
          running.delete(lease);
          claimSoon();
        });
        running.set(lease, ending);
      }
      if (running.size > 0) return { inMs: busyPollMs };
      const dueMs = (await options.nextDueMs?.()) ?? pollMs;
      return { inMs: Math.min(Math.max(dueMs, busyPollMs), pollMs) };
    },
  });
  const renewing = startPassLoop({
    task: `renew ${work} leases`,
    firstMs: options.renewMs,
    pollMs: options.renewMs,
    isOn: concurrency > 0,
    logger,
    async pass() {
      if (running.size > 0) await options.renew([...running.keys()]);
    },
  });

  function claimSoon(): void {
    const isIdle = running.size === 0 || taken <= concurrency * CLAIM_SHARE;
    claiming.wake(isIdle ? 0 : CLAIM_DELAY_MS);
  }

  async function runLease(lease: Lease, signal: AbortSignal): Promise<void> {
    let hasPlace = true;
    const freePlace = (): void => {
      if (hasPlace) taken--;
      hasPlace = false;
      claimSoon();
    };
    taken++;
    try {
      await options.run(lease, { signal, freePlace });
    } catch (error) {
      if (error instanceof LeaseLost)
        logger.info({ msg: `Another worker took over a ${work}`, ...options.describe(lease) });
      else if (!signal.aborted) await handleFault(lease, error);
    } finally {
      if (hasPlace) taken--;
    }
  }

  async function handleFault(lease: Lease, error: unknown): Promise<void> {
    logger.error({ msg: `A ${work} failed unexpectedly`, ...options.describe(lease), error });
    try {
      await options.onFault?.(lease);
    } catch (again) {
      logger.warn({ msg: `Could not end a ${work}`, ...options.describe(lease), error: again });
    }
  }

  async function release(leases: readonly Lease[]): Promise<void> {
    if (leases.length > 0) await options.release(leases);
  }

  return {
    wake: claiming.wake,
    async stop() {
      // Taken now: a run that the stop cuts short may end before the rest has stopped, and leaves its lease behind.
      const leases = [...running.keys()];
      await Promise.all([claiming.stop(), renewing.stop()]);
      // Before the wait for what runs: another process may claim it while it winds down.
      await release(leases).catch((error: Error) =>
        logger.warn({ msg: `Could not release ${work} leases`, reason: error.message }),
      );
      await Promise.all(running.values());
    },
  };
}
