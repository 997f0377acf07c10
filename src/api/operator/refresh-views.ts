/** Builds the operator's refresh responses from stored rows. */

import type { z } from "@hono/zod-openapi";
import { collectionKey } from "../../domain/token-ref.ts";
import type { QueueOverview } from "../refresh/queue/overview-store.ts";
import type { ReceiptProgress } from "../refresh/receipts/progress-store.ts";
import type { overviewSchema, progressSchema } from "./refresh-schemas.ts";

export function viewProgress(refreshId: string, progress: ReceiptProgress): z.infer<typeof progressSchema> {
  const { createdAt, groups, sweep } = progress;
  const tokens = { waiting: 0, updated: 0, unchanged: 0, failed: 0, not_found: 0 };
  for (const group of groups) tokens[group.status] += group.tokens;
  return {
    refresh_id: refreshId,
    collection: collectionKey(progress),
    created_at: createdAt.toISOString(),
    done: tokens.waiting === 0 && sweep?.isFinished !== false,
    tokens,
    failures: groups
      .filter(({ status }) => status === "failed")
      .map(({ code, tokens: count, tokenId, reason }) => ({
        code,
        tokens: count,
        example: { token_id: tokenId, reason: reason ?? "" },
      })),
    sweep: sweep
      ? { asked: sweep.asked, known: sweep.known, counted: sweep.isCounted, finished: sweep.isFinished }
      : null,
  };
}

export function viewOverview({ queue, hosts, sweeps }: QueueOverview): z.infer<typeof overviewSchema> {
  return {
    queue: queue ? { waiting: { ...queue.waiting }, oldest_seconds: Math.round(queue.oldestSeconds) } : null,
    hosts: hosts.entries.map(({ host, waiting, inFlight, pausedUntil, reason }) => ({
      host: host === "" ? null : host,
      waiting,
      in_flight: inFlight,
      paused_until: pausedUntil?.toISOString() ?? null,
      reason,
    })),
    more_hosts: hosts.more,
    sweeps: sweeps.entries.map((sweep) => ({
      collection: collectionKey(sweep),
      from_token_id: sweep.from,
      to_token_id: sweep.to,
      passed: sweep.passed,
      known: sweep.known,
      counted: sweep.isCounted,
      refresh_id: sweep.refreshId,
      created_at: sweep.createdAt.toISOString(),
    })),
    more_sweeps: sweeps.more,
  };
}
