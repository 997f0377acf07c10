/**
 * The hosts that documents come from, as every replica sees them: how much each may be asked at once, and which are
 * left alone for a while (design: "Refresh", errors are the retry policy).
 */

import type { Queryable } from "../store/database.ts";
import type { Lease } from "./queue.ts";

// A host that failed so often in a row is left alone: 10 seconds at first, twice as long each time, 10 minutes at most.
const FAILURES_UNTIL_PAUSE = 5;
const PAUSE_FIRST_SECONDS = 10;
const PAUSE_MAX_SECONDS = 600;
const BUSY_PAUSE = "interval '500 milliseconds'";

/** How a fetch ended, as far as its host is concerned. */
export type HostAnswer =
  | { readonly kind: "answered" }
  | { readonly kind: "failed"; readonly reason: string; readonly retryAfterMs: number | undefined };

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

/** Hosts that are left alone now. */
export async function readPaused(db: Queryable): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ host: string }>("select host from vitrine.host where paused_until > now()");
  return new Set(rows.map(({ host }) => host));
}

/** Puts a token back untried until its host may be asked; a busy one may be soon. False when the lease was lost. */
export async function awaitHost(db: Queryable, lease: Lease, host: string): Promise<boolean> {
  const rows = await db.query(
    `update vitrine.refresh
        set host = $5, lease = null, leased_until = null, attempts = greatest(attempts - 1, 0),
            not_before = coalesce((select paused_until from vitrine.host where host = $5 and paused_until > now()),
                                  now() + ${BUSY_PAUSE})
      where chain_id = $1 and collection = $2 and token_id = $3 and lease = $4 returning 1`,
    [lease.chainId, lease.collection, lease.tokenId, lease.id, host],
  );
  return rows.length > 0;
}

/** Remembers where tokens' documents came from, so that the next claim can tell. */
export async function rememberHosts(
  db: Queryable,
  tokens: readonly { readonly lease: Lease; readonly host: string }[],
): Promise<void> {
  if (tokens.length === 0) return;
  await db.query(
    `update vitrine.refresh r set host = k.host
       from unnest($1::bigint[], $2::text[], $3::numeric[], $4::text[]) as k(chain_id, collection, token_id, host)
      where (r.chain_id, r.collection, r.token_id) = (k.chain_id, k.collection, k.token_id)`,
    [
      tokens.map(({ lease }) => lease.chainId),
      tokens.map(({ lease }) => lease.collection),
      tokens.map(({ lease }) => lease.tokenId),
      tokens.map(({ host }) => host),
    ],
  );
}
