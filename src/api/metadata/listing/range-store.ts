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

/** Known tokens from `from` to `to` and above `after`, ascending, at most `limit`; includes burned and unseen ones. */
export const knownInRange = (db: Queryable, range: TokenRange, after: string | null, limit: number) =>
  inRange(db, range, after, limit, "true");

/** The same for listed tokens. */
export const listedInRange = (
  db: Queryable,
  tables: ChainTables,
  range: TokenRange,
  after: string | null,
  limit: number,
) => inRange(db, range, after, limit, `not t.unseen and not ${isBurned(tables, tokenColumns("t"))}`);

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

async function inRange(
  db: Queryable,
  { chainId, collection, from, to }: TokenRange,
  after: string | null,
  limit: number,
  condition: string,
): Promise<string[]> {
  const rows = await db.query<{ tokenId: string }>(
    `select t.token_id as "tokenId" from vitrine.token t
      where t.chain_id = $1 and t.collection = $2 and t.token_id between $3 and $4
        and ($5::numeric is null or t.token_id > $5) and ${condition}
      order by t.token_id limit $6`,
    [chainId, collection, from, to, after, limit],
  );
  return rows.map((row) => row.tokenId);
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
