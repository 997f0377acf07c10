/** Deliveries that wait for a clock which has stepped back. */

import type { EndLongWaits } from "../jobs/long-waits.ts";
import { RETRY_AFTER_MAX_MS } from "../jobs/retry-policies.ts";
import { notifyWorkers } from "./delivery-queue.ts";
import { LEASE_SECONDS } from "./worker.ts";

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

/**
 * Makes deliveries due whose process may have died: their claims would run until the clock has caught up, and take the places
 * of others. One that a process still sends is sent once more at worst.
 */
export const endLongDeliveryClaims: EndLongWaits = async (db, limit) => {
  const rows = await db.query(
    `update vitrine.webhook_delivery d set claim = null, claimed_until = null, due_at = least(due_at, now())
      where d.ctid = any(array(
        select e.ctid from vitrine.webhook_delivery e
         where e.claim is not null and e.claimed_until > now() + $2::float8 * interval '1 second'
         order by e.claimed_until limit $1 for update skip locked)) returning 1`,
    [limit, 2 * LEASE_SECONDS],
  );
  if (rows.length > 0) await notifyWorkers(db);
  return rows.length;
};
