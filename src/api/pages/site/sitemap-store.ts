/** The ids of a collection's tokens for its sitemaps, from the chain index. */

import type { ChainTables } from "../../chain/index/tables.ts";
import type { Queryable } from "../../db/database.ts";

/** Listed tokens in the order of their ids. */
export async function readTokenIds(
  db: Queryable,
  tables: ChainTables,
  { chainId, collection }: { readonly chainId: number; readonly collection: string },
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<readonly string[]> {
  const rows = await db.query<{ id: string }>(
    `select token_id::text as id from ${tables.tokenState}
      where chain_id = $1 and collection_address = $2 and standard is not null and not burned
      order by token_state.token_id offset $3 limit $4`,
    [chainId, collection, offset, limit],
  );
  return rows.map(({ id }) => id);
}
