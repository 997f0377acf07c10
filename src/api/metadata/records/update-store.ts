/** Metadata changes of a collection or a token, newest first: the versions with a new document. */

import { planName, type Queryable } from "../../db/database.ts";

export interface MetadataUpdate {
  /** The version's id, in decimal. */
  readonly id: string;
  readonly tokenId: string;
  /** The block at which the contract was read; null if the document was found without it. */
  readonly readBlock: number | null;
  /** When the document was read: ISO 8601 in UTC with microseconds, as `before` takes it. */
  readonly at: string;
}

export interface UpdatesQuery {
  readonly chainId: number;
  readonly collection: string;
  /** Undefined for all tokens of the collection. */
  readonly tokenId?: string | undefined;
  /** Only older ones; those of the same moment have a lower id. */
  readonly before: { readonly at: string; readonly id: string };
  readonly limit: number;
}

// PostgreSQL may expect one row of a collection that is new to its statistics. Each "offset 0" keeps it from reading all of
// the collection's versions for one token, or all of its tokens for each version.
const versionsOf = (tokenId: string | undefined): string =>
  tokenId === undefined
    ? "vitrine.version"
    : `(select * from vitrine.version where (chain_id, collection, token_id) = ($1, $2, $6) offset 0)`;

/** Up to `limit` changes of tokens with a transfer, newest first. Versions are kept for 90 days, and while served. */
export async function readUpdates(db: Queryable, query: UpdatesQuery): Promise<MetadataUpdate[]> {
  const { chainId, collection, tokenId, before, limit } = query;
  const text = `
    select v.id::text, v.token_id::text as "tokenId", v.read_block as "readBlock",
           to_char(v.fetched_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at
      from ${versionsOf(tokenId)} v
     cross join lateral (
       -- Tokens without a transfer are shown to nobody.
       select from vitrine.token t
        where (t.chain_id, t.collection, t.token_id) = (v.chain_id, v.collection, v.token_id) and not t.unseen offset 0) seen
     where v.chain_id = $1 and v.collection = $2 and v.outcome = 'updated'
       and (v.fetched_at, v.id) < ($3::timestamptz, $4::bigint)
     order by v.fetched_at desc, v.id desc limit $5`;
  const rows = await db.query<Omit<MetadataUpdate, "readBlock"> & { readBlock: string | null }>(
    text,
    [chainId, collection, before.at, before.id, limit, ...(tokenId === undefined ? [] : [tokenId])],
    planName(text),
  );
  return rows.map((row) => ({ ...row, readBlock: row.readBlock === null ? null : Number(row.readBlock) }));
}
