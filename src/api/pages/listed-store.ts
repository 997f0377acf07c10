/** The listed tokens of a collection by id: those beside one, and all of them in parts. */

import type { CollectionRef } from "../../domain/token-ref.ts";
import type { ChainTables } from "../chain/index/tables.ts";
import { isBurned } from "../chain/index/token-state.ts";
import { planName, type Queryable } from "../db/database.ts";

export interface Neighbours {
  readonly previous: string | undefined;
  readonly next: string | undefined;
}

// Behind a longer row of burned tokens there is no neighbour, rather than a slow page.
const READ_MAX = 200;

// Of rows `t` of `vitrine.token`. A ranged token has no row in `token_state` before it moves.
const isListed = (tables: ChainTables): string =>
  `not t.unseen and not ${isBurned(tables, { chainId: "$1", collection: "$2", tokenId: "t.token_id" })}`;

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

/**
 * The first token of each part of `count` known tokens, listed or not, by id; the last part may have fewer. Each step
 * reads one part, so that no statement takes longer in a larger collection.
 */
export async function readStarts(
  db: Queryable,
  { chainId, collection }: CollectionRef,
  count: number,
): Promise<readonly string[]> {
  const text = `
    select token_id::text as id from vitrine.token
     where chain_id = $1 and collection = $2 and token_id >= $3::numeric order by token_id offset $4 limit 1`;
  const starts: string[] = [];
  for (;;) {
    const last = starts.at(-1);
    const [row] = await db.query<{ id: string }>(
      text,
      [chainId, collection, last ?? "0", last === undefined ? 0 : count],
      planName(text),
    );
    if (!row) return starts;
    starts.push(row.id);
  }
}

/** The listed ones among the known tokens from `from` until `before`, by id, at most `limit`; undefined if none is known. */
export async function readListedIds(
  db: Queryable,
  tables: ChainTables,
  { chainId, collection }: CollectionRef,
  {
    from,
    before,
    limit,
  }: { readonly from: string; readonly before: string | undefined; readonly limit: number },
): Promise<readonly string[] | undefined> {
  const rows = await db.query<{ id: string | null }>(
    `select case when ${isListed(tables)} then t.token_id::text end as id
       from (select token_id, unseen from vitrine.token
              where chain_id = $1 and collection = $2 and token_id >= $3::numeric
                and ($4::numeric is null or token_id < $4) order by token_id limit $5) t
      order by t.token_id`,
    [chainId, collection, from, before ?? null, limit],
  );
  return rows.length === 0 ? undefined : rows.flatMap(({ id }) => id ?? []);
}
