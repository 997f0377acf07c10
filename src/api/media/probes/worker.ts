/** Works through what is wanted: claims URLs that are due, looks at each, and records what came of it. */

import type { Database, Queryable } from "../../db/database.ts";
import { isHostFault } from "../../fetch/host-fault.ts";
import type { Logger } from "../../http/logger.ts";
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
// Ends that come together are followed by one claim.
const CLAIM_DELAY_MS = 10;
const RENEW_MS = 10_000;
// With doubling from two seconds: about a minute. Until then a URL that was never read is pending, then rejected.
const OPEN_ATTEMPTS = 5;
const BACKOFF_BASE_MS = 1_000;
const DAY_MS = 86_400_000;
// What answers 404 may have been published before its image; asked again for as long as it is named.
const FAULT_PAUSE_MAX_MS = 30 * DAY_MS;

/** How hosts that fail are left alone, documents and media alike. */
export interface HostNotes {
  paused(db: Queryable): Promise<ReadonlySet<string>>;
  note(
    db: Queryable,
    host: string,
    answer:
      | { readonly kind: "answered" }
      | {
          readonly kind: "failed";
          readonly reason: string;
          readonly retryAfterMs: number | undefined;
          readonly url: string;
        },
  ): Promise<void>;
}

export interface MediaWorkerDeps {
  readonly database: Database;
  readonly probe: ProbeMedia;
  readonly hosts: HostNotes;
  readonly metrics: MediaMetrics;
  /** Looks at once; 0 makes this process leave the work to others. */
  readonly concurrency: number;
  readonly logger: Logger;
}

export interface MediaWorker {
  /** Looks for work now rather than at the next poll. */
  wake(): void;
  /** Stops claiming, gives back what is not finished, and resolves when nothing runs. */
  stop(): Promise<void>;
}

export function startMediaWorker(deps: MediaWorkerDeps): MediaWorker {
  const { database, probe, hosts, metrics, concurrency, logger } = deps;
  // One host, slow or dead, never takes all there is.
  const perHost = Math.ceil(concurrency / 2);
  const running = new Map<MediaLease, Promise<void>>();
  const stopping = new AbortController();
  let claiming: Promise<void> | undefined;
  let claimAgain = false;
  let timer: NodeJS.Timeout | undefined;

  const wakeIn = (ms: number): void => {
    clearTimeout(timer);
    if (!stopping.signal.aborted) timer = setTimeout(wake, ms);
  };

  async function claim(): Promise<void> {
    const free = concurrency - running.size;
    if (free <= 0) return;
    const share = { perHost, paused: await hosts.paused(database) };
    const leases = await claimMedia(database, share, free);
    if (stopping.signal.aborted) return releaseMedia(database, leases);
    for (const lease of leases) {
      const work = run(lease).finally(() => {
        running.delete(lease);
        wakeIn(CLAIM_DELAY_MS);
      });
      running.set(lease, work);
    }
  }

  function wake(): void {
    if (concurrency === 0 || stopping.signal.aborted) return;
    if (claiming) {
      claimAgain = true;
      return;
    }
    claiming = claim()
      .catch((error: Error) =>
        logger.warn({ msg: "Could not read what media is wanted", reason: error.message }),
      )
      .finally(() => {
        claiming = undefined;
        wakeIn(claimAgain ? 0 : POLL_MS);
        claimAgain = false;
      });
  }

  /** Never rejects: a fault of ours is logged, and the URL is tried again. */
  async function run(lease: MediaLease): Promise<void> {
    const startedAt = performance.now();
    try {
      const look = await probe(lease, stopping.signal);
      if (stopping.signal.aborted) return;
      if (!(await record(lease, look)))
        logger.info({ msg: "Another worker took over a look at media", url: lease.url });
      const { outcome, reason } = summary(lease, look);
      metrics.probed(lease.kind, outcome, (performance.now() - startedAt) / 1000, reason);
      await noteHost(lease, look);
    } catch (error) {
      if (stopping.signal.aborted) return;
      logger.error({ msg: "Could not look at media", kind: lease.kind, url: lease.url, error });
      const message = "the operator's log says why";
      await record(lease, { kind: "unread", reason: "internal_error", message, transient: true }).catch(
        (again: Error) => logger.warn({ msg: "Could not put media back", reason: again.message }),
      );
    }
  }

  function record(lease: MediaLease, look: MediaProbe): Promise<boolean> {
    if (look.kind === "same") return confirmMedia(database, lease, look);
    if (look.kind === "found") return completeProbe(database, lease, look.finding);
    const isOpen = isOpenStill(lease, look);
    const reason = explain(look) + (isOpen ? "; trying again" : "");
    return rescheduleProbe(database, lease, { delayMs: pauseMs(lease.attempts, look), reason, isOpen });
  }

  /** Only what bears on the whole host counts against it, and any content speaks for it. */
  async function noteHost({ host, url }: MediaLease, look: MediaProbe): Promise<void> {
    if (look.kind !== "unread") return hosts.note(database, host, { kind: "answered" });
    const { reason, transient, retryAfterMs } = look;
    if (isHostFault(host, reason, transient))
      await hosts.note(database, host, { kind: "failed", reason: explain(look), retryAfterMs, url });
  }

  const renewal = setInterval(() => {
    renewMedia(database, [...running.keys()]).catch((error: Error) =>
      logger.warn({ msg: "Could not renew media leases", reason: error.message }),
    );
  }, RENEW_MS);
  wake();

  return {
    wake,
    async stop() {
      stopping.abort();
      clearTimeout(timer);
      clearInterval(renewal);
      await claiming;
      await releaseMedia(database, [...running.keys()]).catch((error: Error) =>
        logger.warn({ msg: "Could not give back media leases", reason: error.message }),
      );
      await Promise.all(running.values());
    },
  };
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
  look: MediaProbe,
): {
  outcome: ProbeOutcome;
  reason?: FetchReason | NonNullable<Extract<MediaProbe, { kind: "found" }>["refusal"]>["reason"];
} {
  if (look.kind === "same") return { outcome: "same" };
  if (look.kind === "found")
    return look.refusal ? { outcome: "rejected", reason: look.refusal.reason } : { outcome: "accepted" };
  return { outcome: isOpenStill(lease, look) ? "failed" : "rejected", reason: look.reason };
}
