/** The events that the stream tells of, as clients get them (docs/trading.md). */

/** What a client can ask for. A `reverted` comes to those who asked for what it takes back. */
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
  /** Of a lock; null of one that was told before there were others than ERC-721x. */
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
  /** As it goes over the wire; made once for all readers. */
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

/** Moves a client's Last-Event-ID on without telling it anything: an event without data is not dispatched. */
export const position = (id: number): string => `id: ${id}\n\n`;

/** What clients do not see; proxies do. */
export const comment = (text: string): string => `: ${text}\n\n`;

/** After how long clients that lose the stream come back. */
export const retry = (ms: number): string => `retry: ${ms}\n\n`;
