/** Ends receipts that wait too long: a caller gets an answer within minutes, whatever happens to the host. */

import type { Database, Queryable } from "../../db/database.ts";
import { isPaused } from "../../jobs/hosts.ts";
import { createPageSize } from "../../jobs/page-size.ts";
import { RECEIPT_TIMEOUT_MS } from "../../jobs/retry-policies.ts";
import { noteChanged } from "./receipts.ts";

const CHECK_EVERY_MS = 10_000;
const ENDED_TOGETHER = 10_000;

/**
 * Fails receipt tokens that have waited over ten minutes, and whose host is paused. The tokens stay queued and are fetched
 * once their host answers: an event's request is not dropped. Returns how many receipt tokens it ended, at most `limit`.
 */
export async function answerOverdue(db: Queryable, limit = ENDED_TOGETHER): Promise<number> {
  const isOverdue = (since: string): string =>
    `${since} < now() - interval '${RECEIPT_TIMEOUT_MS} milliseconds'`;
  const rows = await db.query<{ receiptId: string }>(
    `with overdue as materialized (
       select t.receipt_id, t.position, h.reason
         from vitrine.receipt_token t, vitrine.receipt p, vitrine.refresh r, vitrine.host h
        where ${isPaused("h")} and r.host = h.host and r.wanted > r.done and r.lease is null
          and (t.chain_id, t.collection, t.token_id) = (r.chain_id, r.collection, r.token_id)
          and t.status is null and t.wanted <= r.wanted
          and p.id = t.receipt_id and ${isOverdue("p.created_at")}
          -- A sweep requests most of its tokens long after its receipt was made.
          and (${isOverdue("r.waiting_since")} or not exists (select from vitrine.sweep s where s.receipt_id = p.id))
        -- Others end them just now.
        limit $1 for update of t skip locked)
     update vitrine.receipt_token t
        set status = 'failed', reason = o.reason || '; the host is paused because it failed repeatedly'
       from overdue o where (t.receipt_id, t.position) = (o.receipt_id, o.position)
     returning t.receipt_id as "receiptId"`,
    [limit],
  );
  await noteChanged(db, rows);
  return rows.length;
}

export interface ReceiptTimeout {
  check(): Promise<void>;
}

/**
 * Checks at most every ten seconds, however often it is called; at the next call if it may have left some. One call ends a
 * few thousand receipt tokens, so that those who wait for it go on.
 */
export function createReceiptTimeout(database: Database, endedMax = ENDED_TOGETHER): ReceiptTimeout {
  const size = createPageSize(endedMax);
  let checkedAt = Number.NEGATIVE_INFINITY;
  return {
    async check() {
      if (performance.now() - checkedAt < CHECK_EVERY_MS) return;
      checkedAt = performance.now();
      const isMore = await size.run(async (limit) => (await answerOverdue(database, limit)) === limit);
      if (isMore) checkedAt = Number.NEGATIVE_INFINITY;
    },
  };
}
