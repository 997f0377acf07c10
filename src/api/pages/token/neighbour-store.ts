/** The tokens before and after one in its collection, by id, from the chain index. */

import type { TokenRef } from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Queryable } from "../../db/database.ts";

export interface Neighbours {
  readonly previous: string | undefined;
  readonly next: string | undefined;
}

// Behind a longer row of burned tokens there is no neighbour, rather than a slow page.
const READ_MAX = 200;

/** The nearest listed tokens on either side; undefined at an end of the collection. */
export async function readNeighbours(
  db: Queryable,
  tables: ChainTables,
  { chainId, collection, tokenId }: TokenRef,
): Promise<Neighbours> {
  const nearest = (than: "<" | ">", order: "asc" | "desc"): string =>
    `(select token_id::text from (
        select token_id, standard, burned from ${tables.tokenState}
         where chain_id = $1 and collection_address = $2 and token_id ${than} $3::numeric
         order by token_id ${order} limit ${READ_MAX}) near
      where standard is not null and not burned order by near.token_id ${order} limit 1)`;
  const [row] = await db.query<{ previous: string | null; next: string | null }>(
    `select ${nearest("<", "desc")} as previous, ${nearest(">", "asc")} as next`,
    [chainId, collection, tokenId],
  );
  return { previous: row?.previous ?? undefined, next: row?.next ?? undefined };
}
