/**
 * Works on a queue of leases. A process owns what it has claimed while it renews the lease; after its death the lease
 * soon expires.
 */

import { isDatabaseAway } from "../db/database-away.ts";
import type { Logger } from "../logging/logger.ts";
import { type PassLoop, startPassLoop } from "./pass-loop.ts";

// A claim for each free slot would cost more than the work: slots are gathered for a moment, unless at most this share
// of them is in use.
const CLAIM_DELAY_MS = 40;
const CLAIM_SHARE = 1 / 4;
const AFTER_FAULT_MS = 1_000;
const EXPIRED_EVERY_MS = 1_000;
// A lease outlasts three renewals.
const RENEWALS_MISSED = 2;

/** Thrown by a run that finds its lease lost: this is no failure, and the run has changed nothing. */
export class LeaseLost extends Error {}

export interface LeaseRun {
  /** Aborted when the worker stops. */
  readonly signal: AbortSignal;
  /** Frees the slot for another lease before the run ends, for example when only recording is left. */
  freePlace(): void;
}

export interface LeaseWorkerOptions<Lease> {
  /** The subject of a lease, in the singular: "refresh". Used in log messages. */
  readonly work: string;
  /** Concurrent leases; 0 leaves the queue to other processes. */
  readonly concurrency: number;
  /** How many runs may continue after they have freed their slot. 0 by default. */
  readonly finishingMax?: number;
  /**
   * Freed slots are gathered after a claim that found nothing as well. False by default: where work waits for other work
   * to end, an end makes it due.
   */
  readonly gathersWhenEmpty?: boolean;
  /** In milliseconds, like all times here: the interval between claims while nothing wakes the worker. */
  readonly pollMs: number;
  /** The same while leases run, or while due work can't be claimed yet. `pollMs` by default. */
  readonly busyPollMs?: number;
  /** The interval between renewals; a lease should outlast three. */
  readonly renewMs: number;
  readonly logger: Logger;
  /** Claims due work, at most `free` leases. */
  claim(free: number): Promise<readonly Lease[]>;
  /** The time until something is due; undefined if nothing waits. Called when no lease runs. */
  nextDueMs?(): Promise<number | undefined>;
  renew(leases: readonly Lease[]): Promise<void>;
  /** Returns leases to the queue as if they had never been claimed. */
  release(leases: readonly Lease[]): Promise<void>;
  /** Puts back leases of any process that have run out. Called before a claim, once a second at most. */
  returnExpired?(): Promise<void>;
  /** Processes a lease, and ends or reschedules it. */
  run(lease: Lease, run: LeaseRun): Promise<void>;
  /**
   * Called after a run failed because of our own fault, which is logged. The lease expires unless this ends or
   * reschedules it.
   */
  onFault?(lease: Lease, error: unknown): Promise<void>;
  /** Fields that log messages about a lease contain. */
  describe(lease: Lease): Readonly<Record<string, unknown>>;
}

/**
 * `stop` claims nothing more, releases running leases so that other processes can claim them, and resolves when nothing
 * runs.
 */
export type LeaseWorker = PassLoop;

/** Never rejects: a claim or renewal that fails is logged and retried, and a run that fails is logged. */
export function startLeaseWorker<Lease>(options: LeaseWorkerOptions<Lease>): LeaseWorker {
  const { work, concurrency, finishingMax = 0, pollMs, busyPollMs = pollMs, logger } = options;
  const { gathersWhenEmpty = false } = options;
  const running = new Map<Lease, Promise<void>>();
  let taken = 0;
  let foundWork = true;
  let returnedAt = Number.NEGATIVE_INFINITY;
  let renewedAt = performance.now();

  async function renewRunning(): Promise<void> {
    if (running.size > 0) await options.renew([...running.keys()]);
    renewedAt = performance.now();
  }

  /** Rejects only while the database is away, since a claim would fail as well: what waits is claimed all the same. */
  async function returnExpired(): Promise<void> {
    if (!options.returnExpired || performance.now() - returnedAt <= EXPIRED_EVERY_MS) return;
    returnedAt = performance.now();
    try {
      // After an outage of the database, this process's own leases may have run out as well.
      if (performance.now() - renewedAt > RENEWALS_MISSED * options.renewMs) await renewRunning();
      await options.returnExpired();
    } catch (error) {
      if (isDatabaseAway(error)) throw error;
      logger.warn({ msg: `Could not return expired ${work} leases`, reason: (error as Error).message });
    }
  }

  const claiming = startPassLoop({
    task: `claim ${work} leases`,
    pollMs,
    afterFaultMs: Math.min(pollMs, AFTER_FAULT_MS),
    isOn: concurrency > 0,
    logger,
    async pass(signal) {
      const free = Math.min(concurrency - taken, concurrency + finishingMax - running.size);
      if (free <= 0) return undefined;
      await returnExpired();
      const leases = await options.claim(free);
      foundWork = leases.length > 0;
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
    pass: renewRunning,
  });

  function claimSoon(): void {
    const isIdle = running.size === 0 || taken <= concurrency * CLAIM_SHARE;
    claiming.wake(isIdle && (foundWork || !gathersWhenEmpty) ? 0 : CLAIM_DELAY_MS);
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
        logger.info({ msg: `A ${work} lost its lease`, ...options.describe(lease) });
      else if (!signal.aborted) await handleFault(lease, error);
    } finally {
      if (hasPlace) taken--;
    }
  }

  async function handleFault(lease: Lease, error: unknown): Promise<void> {
    logger.error({ msg: `A ${work} failed unexpectedly`, ...options.describe(lease), error });
    try {
      await options.onFault?.(lease, error);
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
      // Copied now: a run that is aborted may end before the others have stopped, and its lease would be missed.
      const leases = [...running.keys()];
      await Promise.all([claiming.stop(), renewing.stop()]);
      // Released before waiting for the runs, so that another process can claim the work meanwhile.
      await release(leases).catch((error: Error) =>
        logger.warn({ msg: `Could not release ${work} leases`, reason: error.message }),
      );
      await Promise.all(running.values());
    },
  };
}
