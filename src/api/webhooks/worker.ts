/** Sends what is due, from as many processes as there are. */

import { randomUUID } from "node:crypto";
import type { Database } from "../db/database.ts";
import { LeaseLost, type LeaseWorker, startLeaseWorker } from "../jobs/lease-worker.ts";
import { RETRY_AFTER_MAX_MS } from "../jobs/retry-policies.ts";
import type { Logger } from "../logging/logger.ts";
import {
  claimDeliveries,
  type DeliveryCaps,
  type DeliveryLease,
  endAttempt,
  notifyWorkers,
  releaseDeliveries,
  releaseIfStale,
  renewDeliveries,
} from "./delivery-queue.ts";
import type { WebhookMetrics } from "./metrics.ts";
import type { Sender, Sent } from "./sender.ts";
import { pauseFailing, pauseWebhook } from "./webhook-store.ts";

// What waits for a receiver costs a socket and little else.
const CONCURRENCY = 256;
const POLL_MS = 1_000;
const RENEW_MS = 3_000;
export const LEASE_SECONDS = 10;
// Spreads out what failed together.
const JITTER = 0.1;

/** 32 stalled webhooks of one process leave three quarters of it to the others. */
export const deliveryCaps: DeliveryCaps = { perWebhook: 8, perFailing: 2, perHost: 32 };

export interface DeliveryWorkerDeps {
  readonly database: Database;
  readonly send: Sender;
  /** The pauses after each failed attempt; after the last one, or as long without any success, the webhook is paused. */
  readonly pausesMs: readonly number[];
  readonly metrics: WebhookMetrics;
  readonly isOn: boolean;
  readonly logger: Logger;
}

/**
 * When a delivery that has failed `failures` times is tried again, in milliseconds; undefined if never. `askedMs` is the
 * receiver's Retry-After.
 */
export function retryMsOf(pausesMs: readonly number[], failures: number, askedMs = 0): number | undefined {
  const pause = pausesMs[failures - 1];
  return pause === undefined ? undefined : Math.max(pause * (1 - JITTER * Math.random()), askedMs);
}

export function startDeliveryWorker(deps: DeliveryWorkerDeps): LeaseWorker {
  const { database, send, pausesMs, metrics, isOn, logger } = deps;

  // What the attempts of one event take at most.
  const failingMs = pausesMs.reduce((sum, each) => sum + Math.max(each, RETRY_AFTER_MAX_MS), 0);

  async function record(lease: DeliveryLease, sent: Sent): Promise<void> {
    const retryMs = retryMsOf(pausesMs, lease.attempts + 1, sent.retryAfterMs);
    const isEvent = lease.kind === "event";
    const isGivenUp = !sent.isDelivered && isEvent && retryMs === undefined;
    // An event that is given up stays pending: it is the first to be sent when the webhook resumes.
    const nextMs = isEvent ? (retryMs ?? 0) : undefined;
    const reason = sent.isGone ? "gone" : "failing";
    let isHastened = false;
    const end = await database.transaction(async (tx) => {
      if (await releaseIfStale(tx, lease, sent.isDelivered)) return "stale";
      const ended = await endAttempt(tx, lease, sent, nextMs);
      if (!ended) throw new LeaseLost();
      isHastened = ended.isHastened;
      if (sent.isGone || (isGivenUp && !isHastened))
        return (await pauseWebhook(tx, lease.webhookId, reason, lease)) && "paused";
      // While events keep coming, the attempts of each are so far apart that none uses up all of its own.
      return !sent.isDelivered && isEvent && (await pauseFailing(tx, lease.webhookId, failingMs)) && "paused";
    });
    if (end === "stale") return;
    const isRetried = isEvent && (!isGivenUp || isHastened);
    const outcome = sent.isDelivered ? "delivered" : isRetried ? "retried" : "failed";
    metrics.attempted(outcome, sent.durationMs);
    if (end === "paused")
      logger.warn({ msg: "Webhook paused", webhook: lease.webhookId, reason, detail: sent.error });
  }

  return startLeaseWorker<DeliveryLease>({
    work: "webhook delivery",
    concurrency: isOn ? CONCURRENCY : 0,
    pollMs: POLL_MS,
    renewMs: RENEW_MS,
    logger,
    claim: (free) => claimDeliveries(database, free, randomUUID(), LEASE_SECONDS, deliveryCaps),
    renew: (leases) => renewDeliveries(database, leases, LEASE_SECONDS),
    async release(leases) {
      await releaseDeliveries(database, leases);
      await notifyWorkers(database);
    },
    async run(lease, { signal }) {
      const sent = await send(lease, signal);
      // Released already; what a receiver made of half a request is not known.
      if (signal.aborted && !sent.isDelivered) throw new LeaseLost();
      await record(lease, sent);
    },
    describe: ({ id, webhookId }) => ({ delivery: id, webhook: webhookId }),
  });
}
