/** When the waiting tokens of a receipt are read. Contains their SQL. */

import type { Queryable } from "../../db/database.ts";
import { isPaused } from "../../jobs/hosts.ts";

/**
 * The earliest time at which each queued token of a receipt is read, by token id: when the queue may start it, and not
 * while its host is paused. A time in the past means as soon as a worker is free. Tokens that are being read or done are
 * missing.
 */
export async function findNextReads(db: Queryable, receiptId: string): Promise<ReadonlyMap<string, Date>> {
  const rows = await db.query<{ tokenId: string; at: Date }>(
    `select t.token_id as "tokenId", greatest(r.not_before, case when ${isPaused("h")} then h.paused_until end) as at
       from vitrine.receipt_token t
       join vitrine.refresh r
         on (r.chain_id, r.collection, r.token_id) = (t.chain_id, t.collection, t.token_id)
       left join vitrine.host h on h.host = r.host
      where t.receipt_id = $1 and t.status is null
        and (r.leased_until > now() and t.wanted <= r.started) is not true`,
    [receiptId],
  );
  return new Map(rows.map(({ tokenId, at }) => [tokenId, at]));
}
