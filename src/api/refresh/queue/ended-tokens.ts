/** Queue rows of tokens that turned out not to exist. */

import type { TokenRef } from "../../../domain/token-ref.ts";
import { columnsOf } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";

/** Deletes the rows unless there was another request meanwhile: anybody may name any id, and each would leave a row. */
export async function forgetEnded(db: Queryable, tokens: readonly TokenRef[]): Promise<void> {
  await db.query(
    `delete from vitrine.refresh r
      using unnest($1::bigint[], $2::text[], $3::numeric[]) as k(chain_id, collection, token_id)
      where (r.chain_id, r.collection, r.token_id) = (k.chain_id, k.collection, k.token_id)
        and r.wanted = r.done and r.lease is null`,
    columnsOf(tokens, "chainId", "collection", "tokenId"),
  );
}
