/** The events of the stream, as clients get them (docs/trading.md). */

/**
 * The types that a client can ask for. A `reverted` goes to those who asked for the type of the event that it reverts.
 */
export const eventTypes = ["lock", "unlock", "default_lock", "metadata"] as const;
export type EventType = (typeof eventTypes)[number];

/** A row of the stream. */
export interface EventRow {
  /** A bigint as text. */
  readonly id: string;
  readonly at: Date;
  readonly type: EventType | "reverted";
  readonly subject: EventType;
  readonly reverts: string | null;
  readonly chainId: string;
  readonly collection: string;
  /** Null where the event is about all tokens of a collection. */
  readonly tokenId: string | null;
  readonly source: string | null;
  readonly transactionHash: string | null;
  /** The standard of a lock; null for an event published before there were others than ERC-721x. */
  readonly standard: string | null;
  readonly approvedContract: string | null;
  readonly lockCount: number | null;
  readonly anomaly: boolean | null;
  readonly version: number | null;
  readonly contentHash: string | null;
}

export interface StreamEvent {
  readonly id: number;
  readonly subject: EventType;
  readonly chainId: number;
  readonly collection: string;
  /** As sent to clients; built once for all subscribers. */
  readonly text: string;
}

export function toStreamEvent(row: EventRow): StreamEvent {
  const id = Number(row.id);
  const chainId = Number(row.chainId);
  const { type, subject, collection } = row;
  const body = {
    id,
    type,
    chain_id: chainId,
    collection_address: collection,
    token_id: row.tokenId,
    at: row.at.toISOString(),
    ...detailsOf(row),
  };
  return { id, subject, chainId, collection, text: message(type, body, id) };
}

function detailsOf(row: EventRow): object {
  if (row.type === "reverted") return { reverts: Number(row.reverts), reverted_type: row.subject };
  if (row.type === "metadata") return { version: row.version, content_hash: row.contentHash };
  const change = { standard: row.standard ?? "erc721x", locked: row.lockCount !== 0 };
  const place = { transaction_hash: row.transactionHash, ...placeOf(row.source ?? "") };
  if (row.type === "default_lock") return { ...change, ...place };
  return {
    lock_count: row.lockCount,
    ...change,
    approved_contract: row.approvedContract,
    surplus: row.anomaly,
    ...place,
  };
}

/** Ponder's id of an event starts with its block's Unix seconds (10 digits), chain (16) and number (16). */
const placeOf = (source: string) => ({
  block: Number(source.slice(26, 42)),
  block_time: new Date(Number(source.slice(0, 10)) * 1000).toISOString(),
});

/** One server-sent event. JSON has no line breaks, so its data is one line. */
export const message = (type: string, body: object, id: number): string =>
  `id: ${id}\nevent: ${type}\ndata: ${JSON.stringify(body)}\n\n`;

/** Advances a client's Last-Event-ID without an event: a message without data is not dispatched. */
export const position = (id: number): string => `id: ${id}\n\n`;

/** Ignored by clients, but seen by proxies. */
export const comment = (text: string): string => `: ${text}\n\n`;

/** How long clients that lose the stream wait before they reconnect. */
export const retry = (ms: number): string => `retry: ${ms}\n\n`;
