/** Works through the media probe queue: claims due URLs, probes each, and records the result. */

import { atMostEvery } from "../../async/at-most-every.ts";
import type { Database, Queryable } from "../../db/database.ts";
import { explainFailure } from "../../fetch/explain-failure.ts";
import { isHostFault } from "../../fetch/host-fault.ts";
import type { NoteHost } from "../../jobs/hosts.ts";
import { LeaseLost, type LeaseRun, type LeaseWorker, startLeaseWorker } from "../../jobs/lease-worker.ts";
import { backoffMs, type RetryPolicy, retryPolicies } from "../../jobs/retry-policies.ts";
import type { Logger } from "../../logging/logger.ts";
import { type FetchReason, TRYING_AGAIN } from "../checks/reasons.ts";
import { isStoreAway } from "../storage/media-disk.ts";
import type { Unread } from "./fetch-media.ts";
import type { MediaMetrics, ProbeOutcome } from "./metrics.ts";
import type { MediaProbe, ProbeMedia } from "./probe.ts";
import {
  completeProbe,
  confirmMedia,
  createMediaClaim,
  type MediaLease,
  releaseMedia,
  renewMedia,
  rescheduleProbe,
  returnExpiredMedia,
} from "./probe-queue-store.ts";

const POLL_MS = 1_000;
const RENEW_MS = 10_000;
const WARN_EVERY_MS = 60_000;
// Shorter than the pause of an image, so that each round fetches only as many as are probed at once.
const STORE_PAUSE_MS = retryPolicies.mediaStoreAway.firstMs - 5_000;

const INTERNAL_FAULT: Unread = {
  kind: "unread",
  reason: "internal_error",
  message: "the operator's log says why",
  transient: true,
};

/** Says nothing about the URL, and does not count against it. */
const STORE_AWAY: Unread = { ...INTERNAL_FAULT, message: "the image store does not respond" };

export interface MediaWorkerDeps {
  readonly database: Database;
  readonly probe: ProbeMedia;
  readonly noteHost: NoteHost;
  /** Called in the transaction that records the probe of an image. */
  readonly onImageProbed?: OnImageProbed | undefined;
  readonly metrics: MediaMetrics;
  /** Concurrent probes; 0 leaves the queue to other processes. */
  readonly concurrency: number;
  /** How long no image is fetched after the store has failed; 25 seconds by default. */
  readonly storePauseMs?: number | undefined;
  readonly logger: Logger;
}

/** What the store said, not what wraps it. */
function reasonOfStore(error: unknown): string {
  const { message, cause } = error as Error;
  return cause instanceof Error ? cause.message : message;
}

export function startMediaWorker(deps: MediaWorkerDeps): LeaseWorker {
  const { database, probe, noteHost, onImageProbed, metrics, concurrency, logger } = deps;
  const { storePauseMs = STORE_PAUSE_MS } = deps;
  // One host, slow or dead, never takes all slots.
  const perHost = Math.ceil(concurrency / 2);
  // Until then no image is fetched, since the store would not take it.
  let awayUntil = 0;
  // Images that need the store are tried again every 30 seconds.
  const warnOfStore = atMostEvery(WARN_EVERY_MS, (error: unknown) =>
    logger.warn({ msg: "The image store is unavailable", reason: reasonOfStore(error) }),
  );

  const probeNow = (lease: MediaLease, signal: AbortSignal): Promise<MediaProbe> =>
    probe(lease, signal).catch((error: unknown): Unread => {
      if (!isStoreAway(error)) throw error;
      warnOfStore(error);
      awayUntil = performance.now() + storePauseMs;
      return STORE_AWAY;
    });

  async function run(lease: MediaLease, { signal }: LeaseRun): Promise<void> {
    const startedAt = performance.now();
    const result =
      lease.kind === "image" && startedAt < awayUntil ? STORE_AWAY : await probeNow(lease, signal);
    if (signal.aborted) return;
    const isRecorded = await record(lease, result);
    const { outcome, reason } = summary(lease, result);
    metrics.probed(lease.kind, outcome, (performance.now() - startedAt) / 1000, reason);
    await noteAnswer(lease, result);
    if (!isRecorded) throw new LeaseLost();
  }

  function record(lease: MediaLease, result: MediaProbe): Promise<boolean> {
    if (!onImageProbed || lease.kind !== "image") return store(database, lease, result);
    return database.transaction(async (tx) => {
      const isStored = await store(tx, lease, result);
      if (isStored)
        await onImageProbed(tx, { ...lease, ...fateOf(lease, result), isFirst: lease.status === "pending" });
      return isStored;
    });
  }

  function store(db: Queryable, lease: MediaLease, result: MediaProbe): Promise<boolean> {
    if (result.kind === "same") return confirmMedia(db, lease, result);
    if (result.kind === "found") return completeProbe(db, lease, result.finding);
    const delayMs = backoffMs(policyFor(result), lease.attempts, result.retryAfterMs);
    const isOpen = isOpenStill(lease, result);
    return rescheduleProbe(db, lease, {
      delayMs,
      reason: reasonOf(lease, result),
      isOpen,
      isCounted: result !== STORE_AWAY,
    });
  }

  /** Only failures of the whole host count against it, and any content that is judged counts as a success. */
  async function noteAnswer({ host, url }: MediaLease, result: MediaProbe): Promise<void> {
    if (result.kind !== "unread") return noteHost(database, host, [{ kind: "answered" }]);
    const { reason, transient, retryAfterMs } = result;
    if (isHostFault(host, reason, transient))
      await noteHost(database, host, [{ kind: "failed", reason: explainFailure(result), retryAfterMs, url }]);
  }

  return startLeaseWorker({
    work: "media probe",
    concurrency,
    pollMs: POLL_MS,
    renewMs: RENEW_MS,
    logger,
    claim: createMediaClaim(database, perHost),
    renew: (leases) => renewMedia(database, leases),
    release: (leases) => releaseMedia(database, leases),
    returnExpired: () => returnExpiredMedia(database),
    run,
    async onFault(lease) {
      await record(lease, INTERNAL_FAULT);
    },
    describe: ({ kind, url }) => ({ kind, url }),
  });
}

/** What a probe of an image says to those who asked for it; `pending` while it will be tried again. */
export interface ImageProbed {
  /** Hexadecimal. */
  readonly urlHash: string;
  /** Requests up to this number are answered. */
  readonly started: string;
  readonly status: "shown" | "rejected" | "pending";
  readonly reason: string | null;
  /** The picture that is shown now. */
  readonly file: string | null;
  /** Nothing was known of the image before. */
  readonly isFirst: boolean;
}

export type OnImageProbed = (tx: Queryable, probed: ImageProbed) => Promise<void>;

function fateOf(lease: MediaLease, result: MediaProbe): Pick<ImageProbed, "status" | "reason" | "file"> {
  if (result.kind === "found") {
    const { reason, file } = result.finding;
    return { status: result.refusal ? "rejected" : "shown", reason, file };
  }
  const { file } = lease;
  // The same bytes, or a picture that was accepted and stays.
  const kept = lease.status === "rejected" ? "rejected" : "shown";
  if (result.kind === "same")
    return { status: kept, reason: kept === "rejected" ? lease.reason : null, file };
  const reason = reasonOf(lease, result);
  if (isOpenStill(lease, result)) return { status: "pending", reason, file };
  return { status: lease.status === "accepted" ? "shown" : "rejected", reason, file };
}

const reasonOf = (lease: MediaLease, result: Unread): string =>
  explainFailure(result) + (isOpenStill(lease, result) ? TRYING_AGAIN : "");

function policyFor(result: Unread): RetryPolicy {
  if (result === STORE_AWAY) return retryPolicies.mediaStoreAway;
  return result.transient ? retryPolicies.mediaHostFault : retryPolicies.mediaUrlFault;
}

/** Before this many attempts a URL that was never read is pending; afterwards it is rejected. */
const isOpenStill = ({ attempts }: MediaLease, unread: Unread): boolean =>
  attempts < policyFor(unread).attempts;

function summary(
  lease: MediaLease,
  result: MediaProbe,
): {
  outcome: ProbeOutcome;
  reason?: FetchReason | NonNullable<Extract<MediaProbe, { kind: "found" }>["refusal"]>["reason"];
} {
  if (result.kind === "same") return { outcome: "same" };
  if (result.kind === "found")
    return result.refusal ? { outcome: "rejected", reason: result.refusal.reason } : { outcome: "accepted" };
  return { outcome: isOpenStill(lease, result) ? "failed" : "rejected", reason: result.reason };
}
