/** A refresh in traces and logs: from the request through the queue to what was recorded. */

import type { CollectionConfig } from "../../config.ts";
import type { Logger } from "../logging/logger.ts";
import { currentTraceparent, inOwnSpan, inSpan, linkTo, SpanKind } from "../tracing/spans.ts";
import type { Lease } from "./queue/leases.ts";
import type { Trigger } from "./queue/priorities.ts";
import type { NewReceipt } from "./receipts/receipts.ts";

const queue = { "messaging.system": "vitrine", "messaging.destination.name": "refresh" };

/** Enqueues tokens in a span of its own. `work` gets what their receipt keeps of the request. */
export const inSendSpan = <Result>(
  requestId: string | undefined,
  work: (asker: Pick<NewReceipt, "requestId" | "traceparent">) => Promise<Result>,
): Promise<Result> =>
  inSpan(
    "send refresh",
    () => ({ kind: SpanKind.PRODUCER, attributes: { ...queue, "messaging.operation.type": "send" } }),
    () => work({ requestId, traceparent: currentTraceparent() }),
  );

/**
 * A span for the fetch of a token, in the trace of the request that has waited longest; other requests are linked. None for
 * a token that no traced request waits for: a sweep would fill the collector.
 */
export function inProcessSpan(lease: Lease, work: () => Promise<void>): Promise<void> {
  const asker = lease.askers?.find(({ traceparent }) => traceparent !== null);
  if (!asker?.traceparent) return work();
  const others = lease.askers?.filter((each) => each !== asker) ?? [];
  const { chainId, collection, tokenId, trigger, attempts } = lease;
  const details = {
    kind: SpanKind.CONSUMER,
    parent: { traceparent: asker.traceparent },
    requestId: requestIdsOf(lease),
    links: others.flatMap(({ traceparent }) => (traceparent && linkTo(traceparent)) || []),
    attributes: {
      ...queue,
      "messaging.operation.type": "process",
      "refresh.chain_id": chainId,
      "refresh.collection": collection,
      "refresh.token_id": tokenId,
      "refresh.trigger": trigger,
      "refresh.attempt": attempts,
      "request.id": requestIdsOf(lease) ?? "",
    },
  };
  return inOwnSpan("process refresh", details, work);
}

/** The ids of the requests that wait for a token, for a log line; undefined if none does. */
export function requestIdsOf({ askers = [] }: Pick<Lease, "askers">): string | undefined {
  const ids = new Set(askers.flatMap(({ requestId }) => requestId ?? []));
  return ids.size > 0 ? [...ids].join(",") : undefined;
}

/** Says that a request was accepted, so that its id leads on to the receipt. `queued` is null for a whole collection. */
export function logRequested(
  logger: Logger,
  asked: {
    readonly requestId: string | undefined;
    readonly refreshId: string | undefined;
    readonly trigger: Trigger;
    readonly collection: CollectionConfig;
    readonly queued: number | null;
  },
): void {
  const { requestId, refreshId, trigger, collection, queued } = asked;
  logger.info({
    msg: "Refresh requested",
    ...(requestId !== undefined && { request_id: requestId }),
    ...(refreshId !== undefined && { refresh_id: refreshId }),
    trigger,
    chain_id: collection.chainId,
    collection: collection.address,
    queued: queued ?? "all",
  });
}

/** One line per request for the fetches that one transaction has recorded, with the number of each outcome. */
export function logRecorded(
  logger: Logger,
  recorded: readonly { readonly lease: Lease; readonly status: string }[],
): void {
  const byRequest = new Map<string, Record<string, number>>();
  for (const { lease, status } of recorded) {
    for (const { requestId } of lease.askers ?? []) {
      if (requestId === null) continue;
      const counts = byRequest.get(requestId) ?? {};
      byRequest.set(requestId, counts);
      counts[status] = (counts[status] ?? 0) + 1;
    }
  }
  for (const [requestId, counts] of byRequest)
    logger.info({ msg: "Refresh recorded", request_id: requestId, ...counts });
}
