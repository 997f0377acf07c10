/** SQL for the token ids of an export. */

import type { ChainTables } from "../../chain/index/tables.ts";
import { planName, type Queryable } from "../../db/database.ts";

export interface IdRange {
  readonly chainId: number;
  readonly address: string;
  /** Exclusive; "-1" for all. */
  readonly after: string;
  /** Inclusive. */
  readonly to: string;
}

/**
 * Up to `limit` ids with a transfer, ascending, burned ones included. Tokens of a range have no row until they move; the
 * series in the select clause stops as soon as there are enough.
 */
export async function readIdsAfter(
  db: Queryable,
  tables: ChainTables,
  { chainId, address, after, to }: IdRange,
  limit: number,
): Promise<string[]> {
  const text = `
    select token_id::text as "tokenId" from (
      (select s.token_id from ${tables.tokenState} s
        where s.chain_id = $1 and s.collection_address = $2 and s.token_id > $3::numeric and s.token_id <= $4::numeric
          and s.standard is not null
        order by s.token_id limit $5)
      union
      (select generate_series(greatest(r.from_token_id, $3::numeric + 1), least(r.to_token_id, $4::numeric))
         from (select * from ${tables.tokenRange} o
                where o.chain_id = $1 and o.collection_address = $2
                  and o.to_token_id > $3::numeric and o.from_token_id <= $4::numeric
                order by o.from_token_id offset 0) r
        limit $5)) ids
     order by ids.token_id limit $5`;
  const rows = await db.query<{ tokenId: string }>(
    text,
    [chainId, address, after, to, limit],
    planName(text),
  );
  return rows.map(({ tokenId }) => tokenId);
}
