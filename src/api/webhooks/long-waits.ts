/** Deliveries that wait for a clock which has stepped back. */

import type { EndLongWaits } from "../jobs/long-waits.ts";
import { RETRY_AFTER_MAX_MS } from "../jobs/retry-policies.ts";
import { notifyWorkers } from "./delivery-queue.ts";

/** Makes deliveries due that would wait longer than any of the pauses after a failed attempt. */
export function endLongDeliveryWaits(pausesMs: readonly number[]): EndLongWaits {
  const longestMs = Math.max(RETRY_AFTER_MAX_MS, ...pausesMs);
  return async (db, limit) => {
    // Webhook by webhook, each a step down the database index that claims use.
    const rows = await db.query(
      `with long as (
         select f.id from vitrine.webhook w
          cross join lateral (
            select d.id from vitrine.webhook_delivery d
             where d.webhook_id = w.id and d.status = 'pending'
               and d.due_at > now() + $1::float8 * interval '1 millisecond'
               -- Those wait for another event, not for a clock.
               and d.due_at < 'infinity'
             -- As the database index has them: without an order, a plan may read the whole table for none.
             order by d.due_at, d.id limit $2 for update skip locked) f
          limit $2)
       update vitrine.webhook_delivery d set due_at = now() from long where d.id = long.id returning 1`,
      [longestMs, limit],
    );
    if (rows.length > 0) await notifyWorkers(db);
    return rows.length;
  };
}
