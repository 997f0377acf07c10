/** The events of the stream, as clients get them (docs/trading.md). */

import { type EventType, eventTypeTable, isEventType, type PayloadColumns } from "./event-types.ts";

/** A row of the stream. */
export interface EventRow extends PayloadColumns {
  /** A bigint as text. */
  readonly id: string;
  readonly at: Date;
  /** A later release that shares the database may have written a type that is unknown here. */
  readonly type: EventType | "reverted" | (string & {});
  /** The type; of a `reverted`, that of the event that it reverts. */
  readonly subject: string;
  readonly reverts: string | null;
  readonly chainId: string;
  readonly collection: string;
  /** Null where the event is about all tokens of a collection. */
  readonly tokenId: string | null;
}

export interface StreamEvent {
  readonly id: number;
  readonly subject: string;
  readonly chainId: number;
  readonly collection: string;
  readonly tokenId: string | null;
  /** The event as JSON; undefined for one of an unknown type. */
  readonly body: EventBody | undefined;
  /** As sent to clients; built once for all subscribers. */
  readonly text: string;
}

/** What every event has; further fields depend on its type. */
export interface EventBody {
  readonly id: number;
  readonly type: string;
  readonly chain_id: number;
  readonly collection_address: string;
  readonly token_id: string | null;
  readonly at: string;
}

/** The row as an event. One of an unknown type only advances a client's Last-Event-ID. */
export function toStreamEvent(row: EventRow, mediaBaseUrl: string): StreamEvent {
  const id = Number(row.id);
  const chainId = Number(row.chainId);
  const { type, subject, collection } = row;
  const payload = payloadOf(row, mediaBaseUrl);
  const body = {
    id,
    type,
    chain_id: chainId,
    collection_address: collection,
    token_id: row.tokenId,
    at: row.at.toISOString(),
    ...payload,
  };
  return {
    id,
    subject,
    chainId,
    collection,
    tokenId: row.tokenId,
    body: payload && body,
    text: payload ? message(type, body, id) : position(id),
  };
}

function payloadOf(row: EventRow, mediaBaseUrl: string): object | undefined {
  if (row.type === "reverted") return { reverts: Number(row.reverts), reverted_type: row.subject };
  return isEventType(row.type) ? eventTypeTable[row.type].payloadOf(row, mediaBaseUrl) : undefined;
}

/** One server-sent event. JSON has no line breaks, so its data is one line. */
export const message = (type: string, body: object, id: number): string =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(body)}\n\n`;

/** Advances a client's Last-Event-ID without an event: a message without data is not dispatched. */
export const position = (id: number): string => `id: ${id}\n\n`;

/** Ignored by clients, but seen by proxies. */
export const comment = (text: string): string => `: ${text}\n\n`;

/** How long clients that lose the stream wait before they reconnect. */
export const retry = (ms: number): string => `retry: ${ms}\n\n`;
