/**
 * The hosts that documents come from, as every replica sees them: how much each may be asked at once, and which are
 * left alone for a while (design: "Refresh", errors are the retry policy).
 */

import type { FailureReason } from "../metadata/resolve.ts";
import type { Queryable } from "../store/database.ts";

// A host that failed so often in a row is left alone: 10 seconds at first, twice as long each time, 10 minutes at most.
const FAILURES_UNTIL_PAUSE = 5;
const PAUSE_FIRST_SECONDS = 10;
const PAUSE_MAX_SECONDS = 600;

/** How a fetch ended, as far as its host is concerned. */
export type HostAnswer =
  | { readonly kind: "answered" }
  | { readonly kind: "failed"; readonly reason: string; readonly retryAfterMs: number | undefined };

const HOST_FAULTS: readonly FailureReason[] = ["unreachable", "timeout", "http_status", "blocked_by_host"];

/** True for a fault of the whole host, as opposed to one of the document or of ours. */
export const isHostFault = (reason: FailureReason, transient: boolean): boolean =>
  transient && HOST_FAULTS.includes(reason);

/** Takes note of an answer. Retry-After pauses at once; a good answer ends the row of failures, and no pause. */
export async function noteHost(db: Queryable, host: string, answer: HostAnswer): Promise<void> {
  if (answer.kind === "answered") {
    await db.query(
      "delete from vitrine.host where host = $1 and (paused_until is null or paused_until <= now())",
      [host],
    );
    return;
  }
  await db.query(
    `insert into vitrine.host as h (host, failures, paused_until, reason)
     values ($1, 1, now() + $3::float8 * interval '1 millisecond', $2)
     on conflict (host) do update set
       reason = excluded.reason,
       -- What was under way when the pause began says nothing new.
       failures = h.failures + case when h.paused_until > now() then 0 else 1 end,
       paused_until = greatest(
         excluded.paused_until, h.paused_until,
         case when (h.paused_until is null or h.paused_until <= now()) and h.failures + 1 >= ${FAILURES_UNTIL_PAUSE}
              then now() + interval '1 second' *
                   least(${PAUSE_FIRST_SECONDS} * 2 ^ least(h.failures + 1 - ${FAILURES_UNTIL_PAUSE}, 16), ${PAUSE_MAX_SECONDS}) end)`,
    [host, answer.reason, answer.retryAfterMs ?? null],
  );
}
