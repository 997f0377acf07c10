/** The listed tokens of a collection by id: those beside one, and all of them in parts. */

import type { CollectionRef } from "../../domain/token-ref.ts";
import type { ChainTables } from "../chain/index/tables.ts";
import { planName, type Queryable } from "../db/database.ts";

export interface Neighbours {
  readonly previous: string | undefined;
  readonly next: string | undefined;
}

// Behind a longer row of burned tokens there is no neighbour, rather than a slow page.
const READ_MAX = 200;

// Of rows `t` of `vitrine.token`. A ranged token has no row in `token_state` before it moves.
const isListed = ({ tokenState }: ChainTables): string => `not t.unseen and not exists (
  select from ${tokenState} s
   where (s.chain_id, s.collection_address, s.token_id) = ($1, $2, t.token_id) and s.burned)`;

/** The nearest listed tokens on either side; undefined at an end of the collection. */
export async function readNeighbours(
  db: Queryable,
  tables: ChainTables,
  { chainId, collection }: CollectionRef,
  tokenId: string,
): Promise<Neighbours> {
  const nearest = (than: "<" | ">", order: "asc" | "desc"): string =>
    `(select t.token_id::text from (
        select token_id, unseen from vitrine.token
         where chain_id = $1 and collection = $2 and token_id ${than} $3::numeric
         order by token_id ${order} limit ${READ_MAX}) t
      where ${isListed(tables)} order by t.token_id ${order} limit 1)`;
  const text = `select ${nearest("<", "desc")} as previous, ${nearest(">", "asc")} as next`;
  const [row] = await db.query<{ previous: string | null; next: string | null }>(
    text,
    [chainId, collection, tokenId],
    planName(text),
  );
  return { previous: row?.previous ?? undefined, next: row?.next ?? undefined };
}

/** The number of tokens that are known, listed or not. */
export async function countKnown(db: Queryable, { chainId, collection }: CollectionRef): Promise<number> {
  const [row] = await db.query<{ count: string }>(
    "select count(*) as count from vitrine.token where chain_id = $1 and collection = $2",
    [chainId, collection],
  );
  return Number(row?.count ?? 0);
}

/** The listed ones among `limit` known tokens after the first `offset`, by id; undefined past the last. */
export async function readListedIds(
  db: Queryable,
  tables: ChainTables,
  { chainId, collection }: CollectionRef,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<readonly string[] | undefined> {
  const rows = await db.query<{ id: string | null }>(
    `select case when ${isListed(tables)} then t.token_id::text end as id
       from (select token_id, unseen from vitrine.token
              where chain_id = $1 and collection = $2 order by token_id offset $3 limit $4) t
      order by t.token_id`,
    [chainId, collection, offset, limit],
  );
  return rows.length === 0 ? undefined : rows.flatMap(({ id }) => id ?? []);
}
