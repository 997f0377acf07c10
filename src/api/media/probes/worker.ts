/** Works the media probe queue: claims URLs that are due, probes each, and records what came of it. */

import type { Database } from "../../db/database.ts";
import { isHostFault } from "../../fetch/host-fault.ts";
import type { Logger } from "../../http/logger.ts";
import type { NoteHost } from "../../jobs/hosts.ts";
import { LeaseLost, type LeaseRun, type LeaseWorker, startLeaseWorker } from "../../jobs/lease-worker.ts";
import { explain, type FetchReason } from "../checks/reasons.ts";
import type { Unread } from "./fetch-media.ts";
import type { MediaMetrics, ProbeOutcome } from "./metrics.ts";
import type { MediaProbe, ProbeMedia } from "./probe.ts";
import {
  claimMedia,
  completeProbe,
  confirmMedia,
  type MediaLease,
  releaseMedia,
  renewMedia,
  rescheduleProbe,
} from "./probe-queue-store.ts";

const POLL_MS = 1_000;
const RENEW_MS = 10_000;
// With doubling from two seconds: about a minute. Until then a URL that was never read is pending, then rejected.
const OPEN_ATTEMPTS = 5;
const BACKOFF_BASE_MS = 1_000;
const DAY_MS = 86_400_000;
// What answers 404 may have been published before its image; asked again for as long as it is named.
const FAULT_PAUSE_MAX_MS = 30 * DAY_MS;

const INTERNAL_FAULT: Unread = {
  kind: "unread",
  reason: "internal_error",
  message: "the operator's log says why",
  transient: true,
};

export interface MediaWorkerDeps {
  readonly database: Database;
  readonly probe: ProbeMedia;
  readonly noteHost: NoteHost;
  readonly metrics: MediaMetrics;
  /** Probes at once; 0 leaves the queue to other processes. */
  readonly concurrency: number;
  readonly logger: Logger;
}

export function startMediaWorker(deps: MediaWorkerDeps): LeaseWorker {
  const { database, probe, noteHost, metrics, concurrency, logger } = deps;
  // One host, slow or dead, never takes all there is.
  const perHost = Math.ceil(concurrency / 2);

  async function run(lease: MediaLease, { signal }: LeaseRun): Promise<void> {
    const startedAt = performance.now();
    const result = await probe(lease, signal);
    if (signal.aborted) return;
    const isRecorded = await record(lease, result);
    const { outcome, reason } = summary(lease, result);
    metrics.probed(lease.kind, outcome, (performance.now() - startedAt) / 1000, reason);
    await noteAnswer(lease, result);
    if (!isRecorded) throw new LeaseLost();
  }

  function record(lease: MediaLease, result: MediaProbe): Promise<boolean> {
    if (result.kind === "same") return confirmMedia(database, lease, result);
    if (result.kind === "found") return completeProbe(database, lease, result.finding);
    const isOpen = isOpenStill(lease, result);
    const reason = explain(result) + (isOpen ? "; trying again" : "");
    return rescheduleProbe(database, lease, { delayMs: pauseMs(lease.attempts, result), reason, isOpen });
  }

  /** Only what bears on the whole host counts against it, and any content speaks for it. */
  async function noteAnswer({ host, url }: MediaLease, result: MediaProbe): Promise<void> {
    if (result.kind !== "unread") return noteHost(database, host, { kind: "answered" });
    const { reason, transient, retryAfterMs } = result;
    if (isHostFault(host, reason, transient))
      await noteHost(database, host, { kind: "failed", reason: explain(result), retryAfterMs, url });
  }

  return startLeaseWorker({
    work: "media probe",
    concurrency,
    pollMs: POLL_MS,
    renewMs: RENEW_MS,
    logger,
    claim: (free) => claimMedia(database, perHost, free),
    renew: (leases) => renewMedia(database, leases),
    release: (leases) => releaseMedia(database, leases),
    run,
    async onFault(lease) {
      await record(lease, INTERNAL_FAULT);
    },
    describe: ({ kind, url }) => ({ kind, url }),
  });
}

const isOpenStill = ({ attempts }: MediaLease, { transient }: Unread): boolean =>
  transient && attempts < OPEN_ATTEMPTS;

/** Doubles from two seconds to a day for a host's fault, from a day to thirty for the URL's own. */
function pauseMs(attempts: number, { transient, retryAfterMs = 0 }: Unread): number {
  const doubled = 2 ** Math.min(attempts, 30);
  const full = transient
    ? Math.min(BACKOFF_BASE_MS * doubled, DAY_MS)
    : Math.min((DAY_MS * doubled) / 2, FAULT_PAUSE_MAX_MS);
  // Half of it is left to chance, so that URLs of one host spread out.
  return Math.max(full / 2 + (Math.random() * full) / 2, retryAfterMs);
}

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
