/** Copies each event of the log to the deliveries of every webhook that wants it, once, whatever process dies. */

import { collectionKey, tokenKey } from "../../domain/token-ref.ts";
import type { Database, Queryable } from "../db/database.ts";
import type { EventBody, StreamEvent } from "../events/event.ts";
import { matches, readAfter, readEnds } from "../events/module.ts";
import { notifyWorkers } from "./delivery-queue.ts";
import { addDeliveries, type NewDelivery } from "./delivery-store.ts";

// A statement of so many deliveries takes a fraction of a second.
const BATCH_EVENTS = 500;
const BATCH_DELIVERIES = 5_000;

export interface FanOutDeps {
  readonly database: Database;
  /** Where images are served, without a trailing slash. */
  readonly mediaBaseUrl: string;
}

interface Subscription {
  readonly id: string;
  readonly afterEvent: string;
  readonly eventTypes: readonly string[];
  readonly collections: readonly string[];
}

/** The id up to which every event is fanned out: the log must keep what follows. */
export async function readPosition(db: Queryable): Promise<number> {
  const [row] = await db.query<{ id: string }>("select event_id as id from vitrine.webhook_position");
  return Number(row?.id ?? 0);
}

/** What is sent of an event. */
const messageOf = (event: EventBody): string =>
  JSON.stringify({ type: event.type, timestamp: event.at, data: event });

/**
 * The `webhook-id` of an event: the same whenever and however often it is sent. After a restore, `history` makes it
 * differ from those that were given out since the dump.
 */
const messageIdOf = (webhookId: string, history: string | null, eventId: number): string =>
  ["msg", webhookId.replaceAll("-", ""), ...(history === null ? [] : [history]), eventId].join("_");

/** One batch per call: deliveries and position in one transaction. True if more may be waiting. */
export function createFanOut({ database, mediaBaseUrl }: FanOutDeps): () => Promise<boolean> {
  return () =>
    database.transaction(async (tx) => {
      const [at] = await tx.query<{ id: string; history: string | null }>(
        "select event_id as id, history from vitrine.webhook_position for update skip locked",
      );
      // Another process is at it.
      if (!at) return false;
      const position = Number(at.id);
      // Before the webhooks are read: an event up to here is older than any webhook that this statement does not see.
      const { last } = await readEnds(tx);
      if (last <= position) return false;
      const webhooks = await readSubscriptions(tx);
      const limit = Math.max(1, Math.min(BATCH_EVENTS, Math.floor(BATCH_DELIVERIES / webhooks.length)));
      const events = webhooks.length === 0 ? [] : await readAfter(tx, position, limit, mediaBaseUrl);
      const seen = events.filter(({ id }) => id <= last);
      const deliveries = seen.flatMap((event) => deliveriesOf(event, webhooks, at.history));
      if (deliveries.length > 0) {
        await addDeliveries(tx, deliveries);
        await notifyWorkers(tx);
      }
      const isMore = events.length === limit && webhooks.length > 0;
      const reached = isMore ? (seen.at(-1)?.id ?? last) : last;
      await tx.query("update vitrine.webhook_position set event_id = $1", [reached]);
      return isMore;
    });
}

/** Paused webhooks too: what they miss is sent when they resume. */
const readSubscriptions = (tx: Queryable): Promise<Subscription[]> =>
  tx.query<Subscription>(
    `select w.id, w.after_event as "afterEvent", w.event_types as "eventTypes", w.collections
       from vitrine.webhook w join vitrine.app a on a.id = w.app_id and 'market-partner' = any(a.apis)`,
  );

function deliveriesOf(
  event: StreamEvent,
  webhooks: readonly Subscription[],
  history: string | null,
): NewDelivery[] {
  const { body, chainId, collection, tokenId } = event;
  if (!body) return [];
  const subject = tokenId === null ? collectionKey(event) : tokenKey({ chainId, collection, tokenId });
  const text = messageOf(body);
  return webhooks
    .filter(
      ({ afterEvent, eventTypes, collections }) =>
        event.id > Number(afterEvent) &&
        matches({ types: new Set(eventTypes), collections: new Set(collections), chainId: undefined }, event),
    )
    .map(({ id }) => ({
      webhookId: id,
      messageId: messageIdOf(id, history, event.id),
      kind: "event",
      eventType: body.type,
      eventId: String(event.id),
      subject,
      body: text,
    }));
}
