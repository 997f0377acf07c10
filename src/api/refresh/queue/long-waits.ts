/** Tokens that wait for a clock which has stepped back. */

import type { EndLongWaits } from "../../jobs/long-waits.ts";
import { RETRY_AFTER_MAX_MS, recheckPolicy } from "../../jobs/retry-policies.ts";
import { hostsOf, WAITING } from "./hosts.ts";
import { returnLong } from "./leases.ts";
import { priorities, priorityLevels } from "./priorities.ts";

/** The longest wait of tokens of a priority, in milliseconds. */
const longestMs = (priority: number): number =>
  Math.max(RETRY_AFTER_MAX_MS, ...(priority === priorities.recheck ? recheckPolicy.pausesMs : []));

const levels = priorityLevels.map((level) => `(${level}, ${longestMs(level)})`).join(", ");

/** Makes tokens due that would wait longer than any retry or recheck. */
export const endLongTokenWaits: EndLongWaits = async (db, limit) => {
  // By host and priority, each a step down the database index that claims use.
  const rows = await db.query(
    `with recursive ${hostsOf("hosts", WAITING)}, long as (
       select w.row_at from hosts h
        cross join (values ${levels}) as level(priority, ms)
        cross join lateral (
          select r.ctid as row_at from vitrine.refresh r
           where ${WAITING} and r.host = h.host and r.priority = level.priority
             and r.not_before > now() + level.ms * interval '1 millisecond'
           -- As the database index has them: without an order, a plan may read the whole table for none.
           order by r.not_before limit $1 for update skip locked) w
        where h.host is not null limit $1)
     update vitrine.refresh r set not_before = now() from long where r.ctid = long.row_at returning 1`,
    [limit],
  );
  return rows.length;
};

/** Makes tokens due whose process may have died: their leases would run until the clock has caught up. */
export const endLongTokenLeases: EndLongWaits = returnLong;
