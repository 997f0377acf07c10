/** Stores the blocks that Ponder has received, visible to every process. */

import { columnsOf } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import { type DeliveredBlock, NUMBERS_MAX } from "./delivered-blocks.ts";

/** Adds blocks of a chain index, and deletes those that are hundreds of blocks older. */
export async function keepDelivered(
  db: Queryable,
  schema: string,
  chainId: number,
  blocks: readonly DeliveredBlock[],
): Promise<void> {
  await db.query(
    `with added as (
       insert into vitrine.delivered_block (schema, chain_id, number, hash)
       select $1, $2, * from unnest($3::bigint[], $4::text[]) on conflict do nothing)
     delete from vitrine.delivered_block
      where schema = $1 and chain_id = $2 and number < (select max(number) from unnest($3::bigint[]) number) - $5`,
    [schema, chainId, ...columnsOf(blocks, "number", "hash"), NUMBERS_MAX],
  );
}

/** For the start of an indexing process: Ponder receives every block again that is not final. */
export async function forgetDelivered(db: Queryable, schema: string): Promise<void> {
  await db.query("delete from vitrine.delivered_block where schema = $1", [schema]);
}
