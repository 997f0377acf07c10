/** Ends receipts that wait too long: a caller gets an answer within minutes, whatever happens to the host. */

import type { Database, Queryable } from "../../db/database.ts";
import { isPaused } from "../../jobs/hosts.ts";
import { RECEIPT_TIMEOUT_MS } from "../../jobs/retry-policies.ts";
import { noteChanged } from "./receipts.ts";

const CHECK_EVERY_MS = 10_000;

/**
 * Fails receipt tokens that have waited over ten minutes, and whose host is paused. The tokens stay queued and are fetched
 * once their host answers: an event's request is not dropped. Returns how many receipt tokens it ended.
 */
export async function answerOverdue(db: Queryable): Promise<number> {
  const isOverdue = (since: string): string =>
    `${since} < now() - interval '${RECEIPT_TIMEOUT_MS} milliseconds'`;
  const rows = await db.query<{ receiptId: string }>(
    `update vitrine.receipt_token t
        set status = 'failed', reason = h.reason || '; the host is paused because it failed repeatedly'
       from vitrine.receipt p, vitrine.refresh r, vitrine.host h
      where ${isPaused("h")} and r.host = h.host and r.wanted > r.done and r.lease is null
        and (t.chain_id, t.collection, t.token_id) = (r.chain_id, r.collection, r.token_id)
        and t.status is null and t.wanted <= r.wanted
        and p.id = t.receipt_id and ${isOverdue("p.created_at")}
        -- A sweep requests most of its tokens long after its receipt was made.
        and (${isOverdue("r.waiting_since")} or not exists (select from vitrine.sweep s where s.receipt_id = p.id))
     returning t.receipt_id as "receiptId"`,
  );
  await noteChanged(db, rows);
  return rows.length;
}

export interface ReceiptTimeout {
  check(): Promise<void>;
}

/** Checks at most every ten seconds, however often it is called. */
export function createReceiptTimeout(database: Database): ReceiptTimeout {
  let checkedAt = Number.NEGATIVE_INFINITY;
  return {
    async check() {
      if (performance.now() - checkedAt < CHECK_EVERY_MS) return;
      checkedAt = performance.now();
      await answerOverdue(database);
    },
  };
}
