/** SQL for the tokens of a range of ids. */

import { type CollectionRef, UINT256_MAX } from "../../../domain/token-ref.ts";
import { blockOf, SETTLED } from "../../chain/index/checkpoint.ts";
import { tokenColumns } from "../../chain/index/known-by-transfer.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { isBurned } from "../../chain/index/token-state.ts";
import type { Queryable } from "../../db/database.ts";
import { lookUp } from "../../db/look-up.ts";

/** Token ids from `from` to `to`, decimal and inclusive. */
export interface TokenRange extends CollectionRef {
  readonly from: string;
  readonly to: string;
}

// How many known tokens a step reads to find listed ones: a million may be burned in a row.
const KNOWN_MAX = 5_000;

/** SQL: the known tokens from $3 to $4 and above $5, ascending. */
const known = (columns: string): string => `
  select ${columns} from vitrine.token t
   where t.chain_id = $1 and t.collection = $2 and t.token_id between $3 and $4
     and ($5::numeric is null or t.token_id > $5)
   order by t.token_id`;

/** Known tokens from `from` to `to` and above `after`, ascending, at most `limit`; includes burned and unseen ones. */
export async function knownInRange(
  db: Queryable,
  { chainId, collection, from, to }: TokenRange,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ tokenId: string }>(`${known('t.token_id as "tokenId"')} limit $6`, [
    chainId,
    collection,
    from,
    to,
    after,
    limit,
  ]);
  return rows.map((row) => row.tokenId);
}

/** The next listed tokens of a range. */
export interface ListedPage {
  readonly tokenIds: readonly string[];
  /** Every listed token of the range up to here is among them or before them; null if none is left in the range. */
  readonly end: string | null;
}

/**
 * Listed tokens from `from` to `to` and above `after`, ascending, at most `limit`. Reads a few thousand known tokens, so it
 * may find fewer, or none, though more follow.
 */
export async function listedInRange(
  db: Queryable,
  tables: ChainTables,
  { chainId, collection, from, to }: TokenRange,
  after: string | null,
  limit: number,
): Promise<ListedPage> {
  const max = Math.max(KNOWN_MAX, limit);
  const [row] = await db.query<ListedPage>(
    // Ends at the last of `limit`; the end of the page is looked up only where there are fewer.
    `select found.ids as "tokenIds",
            case when cardinality(found.ids) >= $6 then found.ids[$6]
                 else (${known("t.token_id::text")} offset ${max - 1} limit 1) end as "end"
       from (select array(
               select t.token_id::text from (${known("t.chain_id, t.collection, t.token_id, t.unseen")} limit ${max}) t
                where not t.unseen and not ${isBurned(tables, tokenColumns("t"))}
                order by t.token_id limit $6) as ids offset 0) found`,
    [chainId, collection, from, to, after, limit],
  );
  return row ?? { tokenIds: [], end: null };
}

/** All known tokens of a collection, ascending, up to `limit` at a time. */
export async function* knownPages(
  db: Queryable,
  collection: CollectionRef,
  limit: number,
): AsyncGenerator<readonly string[], void> {
  const range = { ...collection, from: "0", to: UINT256_MAX.toString() };
  for (let after: string | null = null; ; ) {
    const ids: readonly string[] = await knownInRange(db, range, after, limit);
    if (ids.length > 0) yield ids;
    if (ids.length < limit) return;
    after = ids.at(-1) ?? null;
  }
}

/**
 * Tokens from `from` to `to` and above `after`, ascending, at most `limit`, that would be listed without a burn which a reorg
 * may still remove.
 */
export async function burnedLatelyInRange(
  db: Queryable,
  { tokenState, checkpoint }: ChainTables,
  { chainId, collection, from, to }: TokenRange,
  after: string | null,
  limit: number,
): Promise<string[]> {
  const rows = await db.query<{ tokenId: string }>(
    // Each token by itself, see lookUp.
    `with burned as materialized (
       select s.chain_id, s.collection_address, s.token_id from ${tokenState} s
         join ${checkpoint} c on c.chain_id = s.chain_id
        where s.chain_id = $1 and s.collection_address = $2 and s.token_id between $3 and $4
          and ($5::numeric is null or s.token_id > $5) and s.burned and s.burned_block > ${blockOf(SETTLED)})
     select b.token_id as "tokenId" from burned b
      cross join ${lookUp("unseen", "vitrine.token", "(chain_id, collection, token_id) = (b.chain_id, b.collection_address, b.token_id)")} t
      where not t.unseen
      order by b.token_id limit $6`,
    [chainId, collection, from, to, after, limit],
  );
  return rows.map((row) => row.tokenId);
}
