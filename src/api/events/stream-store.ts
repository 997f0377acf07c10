/** Reads the stream. Ids have no gaps, and a lower id is never committed after a higher one. */

import { collectionKey } from "../../domain/token-ref.ts";
import type { Queryable } from "../db/database.ts";
import { type EventRow, type StreamEvent, toStreamEvent } from "./event.ts";

/** Which events; an empty list means all. */
export interface EventFilter {
  readonly types: ReadonlySet<string>;
  /** `chainId:address` each. */
  readonly collections: ReadonlySet<string>;
  readonly chainId: number | undefined;
}

export function matches({ types, collections, chainId }: EventFilter, event: StreamEvent): boolean {
  return (
    (types.size === 0 || types.has(event.subject)) &&
    (collections.size === 0 || collections.has(collectionKey(event))) &&
    (chainId === undefined || chainId === event.chainId)
  );
}

const columns = `id, at, type, subject, reverts, chain_id as "chainId", collection, token_id as "tokenId", source,
  transaction_hash as "transactionHash", standard, approved_contract as "approvedContract", lock_count as "lockCount", anomaly,
  version, content_hash as "contentHash", payload`;

/** The newest id, and the lowest last id with which a client has missed nothing. */
export async function readEnds(
  db: Queryable,
): Promise<{ readonly last: number; readonly resumable: number }> {
  const [row] = await db.query<{ last: string; resumable: string }>(
    `select c.last, coalesce((select min(id) - 1 from vitrine.event), c.last) as resumable from vitrine.event_counter c`,
  );
  return { last: Number(row?.last ?? 0), resumable: Number(row?.resumable ?? 0) };
}

/** Up to `limit` events above an id, in order. */
export async function readAfter(
  db: Queryable,
  after: number,
  limit: number,
  mediaBaseUrl: string,
): Promise<StreamEvent[]> {
  const rows = await db.query<EventRow>(
    `select ${columns} from vitrine.event where id > $1 order by id limit $2`,
    [after, limit],
  );
  return rows.map((row) => toStreamEvent(row, mediaBaseUrl));
}

/** Those of a range of ids that pass the filter; the range bounds the work if few do. */
export async function readStretch(
  db: Queryable,
  filter: EventFilter,
  stretch: { readonly after: number; readonly to: number; readonly limit: number },
  mediaBaseUrl: string,
): Promise<StreamEvent[]> {
  const { types, collections, chainId } = filter;
  const rows = await db.query<EventRow>(
    `select ${columns} from vitrine.event
      where id > $1 and id <= $2
        and (cardinality($4::text[]) = 0 or subject = any($4))
        and (cardinality($5::text[]) = 0 or chain_id || ':' || collection = any($5))
        and ($6::bigint is null or chain_id = $6)
      order by id limit $3`,
    [stretch.after, stretch.to, stretch.limit, [...types], [...collections], chainId ?? null],
  );
  return rows.map((row) => toStreamEvent(row, mediaBaseUrl));
}
