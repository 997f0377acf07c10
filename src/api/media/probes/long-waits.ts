/** Media that wait for a clock which has stepped back. */

import type { Queryable } from "../../db/database.ts";
import type { EndLongWaits } from "../../jobs/long-waits.ts";
import { RETRY_AFTER_MAX_MS, retryPolicies } from "../../jobs/retry-policies.ts";
import { IS_WAITING, returnLong } from "./probe-queue-store.ts";

const { mediaHostFault, mediaStoreAway, mediaUrlFault } = retryPolicies;
const LONGEST_MS = Math.max(
  RETRY_AFTER_MAX_MS,
  ...[mediaHostFault, mediaStoreAway, mediaUrlFault].map(({ maxMs }) => maxMs),
);
// As many as a claim reads at once.
const HOSTS_TOGETHER = 5_000;

/** Makes URLs due that would wait longer than any retry, or that were named before the clock stepped back. */
export const endLongMediaWaits: EndLongWaits = async (db, limit) => {
  let ended = await endNamedAhead(db, limit);
  for (let after: string | null = ""; after !== null && ended < limit; ) {
    const page = await endOfHosts(db, after, limit - ended);
    ended += page.ended;
    after = page.last;
  }
  return ended;
};

/** Makes URLs due whose process may have died: their leases would run until the clock has caught up. */
export const endLongMediaLeases: EndLongWaits = returnLong;

/** Whatever they wait for, they began to after the clock was set ahead. None is found twice. */
async function endNamedAhead(db: Queryable, limit: number): Promise<number> {
  const rows = await db.query(
    `update vitrine.media m
        set seen_at = now(), not_before = case when ${IS_WAITING} then least(m.not_before, now()) else m.not_before end
      where m.ctid = any(array(
        select e.ctid from vitrine.media e where e.seen_at > now() + interval '1 minute'
         order by e.seen_at limit $1 for update skip locked)) returning 1`,
    [limit],
  );
  return rows.length;
}

/** Up to `limit` waits of the hosts after `after`, and the last of these hosts; null if there are no more. */
async function endOfHosts(
  db: Queryable,
  after: string,
  limit: number,
): Promise<{ ended: number; last: string | null }> {
  const nextHost = (than: string): string =>
    `select m.host from vitrine.media m where ${IS_WAITING} and m.host > ${than} order by m.host, m.not_before limit 1`;
  const [page] = await db.query<{ ended: number; last: string | null }>(
    // By host, each a step down the database index that claims use.
    `with recursive hosts as (
       (select n.host, 1 as place from (${nextHost("$1")}) n)
       union all
       select n.host, h.place + 1 from hosts h cross join lateral (${nextHost("h.host")}) n where h.place < ${HOSTS_TOGETHER}),
     long as (
       select w.row_at from hosts h cross join lateral (
         select m.ctid as row_at from vitrine.media m
          where ${IS_WAITING} and m.host = h.host and m.not_before > now() + $3::float8 * interval '1 millisecond'
          -- As the database index has them: without an order, a plan may read the whole table for none.
          order by m.not_before limit $2 for update skip locked) w limit $2),
     ended as (update vitrine.media m set not_before = now() from long where m.ctid = long.row_at returning 1)
     select (select count(*)::int from ended) as ended,
            (select case when count(*) = ${HOSTS_TOGETHER} then max(host) end from hosts) as last`,
    [after, limit, LONGEST_MS],
  );
  return page ?? { ended: 0, last: null };
}
