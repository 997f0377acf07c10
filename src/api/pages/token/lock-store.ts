/** When locks began, from the chain index. */

import type { TokenRef } from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Queryable } from "../../db/database.ts";

/**
 * When a token that is locked since a block was locked, which may be its mint in a collection that locks by default;
 * undefined when the chain index no longer has it.
 */
export async function readLockedSince(
  db: Queryable,
  tables: ChainTables,
  { chainId, collection, tokenId }: TokenRef,
  block: number,
): Promise<Date | undefined> {
  const [row] = await db.query<{ seconds: string }>(
    `select block_timestamp as seconds from ${tables.lockEvent}
      where chain_id = $1 and collection_address = $2 and (token_id = $3 or token_id is null) and block_number = $4
      union all
     select block_timestamp from ${tables.tokenTransfer}
      where chain_id = $1 and collection_address = $2 and token_id = $3 and block_number = $4 limit 1`,
    [chainId, collection, tokenId, block],
  );
  return row && new Date(Number(row.seconds) * 1000);
}
