/**
 * The hosts that documents come from, as every replica sees them: how much each may be asked at once, and which are
 * left alone for a while (design: "Refresh", errors are the retry policy).
 */

import type { Queryable } from "../../db/database.ts";
import { enqueue, type Lease, STILL_ANONYMOUS } from "../queue/queue.ts";

// A host that failed so often in a row is paused: 10 seconds at first, twice as long each time, 10 minutes at most.
export const FAILURES_UNTIL_PAUSE = 5;
const PAUSE_FIRST_SECONDS = 10;
const PAUSE_MAX_SECONDS = 600;
// What one URL asks for is its own; a host that means all of them says so again soon.
const RETRY_AFTER_MAX_MS = 300_000;
const BUSY_PAUSE = "interval '500 milliseconds'";
/** SQL: for so long after its pause, only the probe is asked of a host. A probe that nobody may claim holds up nobody else. */
export const PROBE_TIME = "interval '30 seconds'";

/** How a fetch ended, as far as its host is concerned. */
export type HostAnswer =
  | { readonly kind: "answered" }
  | {
      readonly kind: "failed";
      readonly reason: string;
      readonly retryAfterMs: number | undefined;
      readonly url: string;
    };

/**
 * Takes note of an answer. A good one ends the row of failures, and no pause. Retry-After holds for the whole host once
 * a second URL of it asks for it, for five minutes at most: one URL speaks for itself.
 */
export async function noteHost(db: Queryable, host: string, answer: HostAnswer): Promise<void> {
  if (answer.kind === "answered") {
    await db.query(
      "delete from vitrine.host where host = $1 and (paused_until is null or paused_until <= now())",
      [host],
    );
    return;
  }
  const [row] = await db.query<{ isPaused: boolean | null; hasProbe: boolean }>(
    `insert into vitrine.host as h (host, failures, reason, retry_by)
     values ($1, 1, $2, case when $3::float8 is not null then md5($4) end)
     on conflict (host) do update set
       reason = excluded.reason,
       retry_by = coalesce(excluded.retry_by, h.retry_by),
       -- What was under way when the pause began says nothing new.
       failures = h.failures + case when h.paused_until > now() then 0 else 1 end,
       paused_until = greatest(
         h.paused_until,
         case when h.retry_by <> excluded.retry_by
              then now() + least($3, ${RETRY_AFTER_MAX_MS}) * interval '1 millisecond' end,
         case when (h.paused_until is null or h.paused_until <= now()) and h.failures + 1 >= ${FAILURES_UNTIL_PAUSE}
              then now() + interval '1 second' *
                   least(${PAUSE_FIRST_SECONDS} * 2 ^ least(h.failures + 1 - ${FAILURES_UNTIL_PAUSE}, 16), ${PAUSE_MAX_SECONDS}) end)
     returning paused_until > now() as "isPaused", probe_token_id is not null as "hasProbe"`,
    [host, answer.reason, answer.retryAfterMs ?? null, answer.url],
  );
  if (row?.isPaused && !row.hasProbe) await chooseProbe(db, host);
}

/** A token that the host has answered for: whether it is back is not left to one that may be the host's own fault. */
async function chooseProbe(db: Queryable, host: string): Promise<void> {
  await db.query(
    `update vitrine.host h
        set probe_chain_id = k.chain_id, probe_collection = k.collection, probe_token_id = k.token_id
       from (select r.chain_id, r.collection, r.token_id from vitrine.refresh r
               join vitrine.token t
                 on (t.chain_id, t.collection, t.token_id) = (r.chain_id, r.collection, r.token_id)
              where r.host = $1 and t.last_outcome = 'good' limit 1) k
      where h.host = $1`,
    [host],
  );
}

/** Asks for the probes of hosts whose pause has just ended, where nobody waits for those tokens anyway. */
export async function askProbes(db: Queryable): Promise<void> {
  const probes = await db.query<{ chainId: string; collection: string; tokenId: string }>(
    `select h.probe_chain_id as "chainId", h.probe_collection as collection, h.probe_token_id as "tokenId"
       from vitrine.host h
      where h.failures >= ${FAILURES_UNTIL_PAUSE} and h.probe_token_id is not null
        and h.paused_until between now() - ${PROBE_TIME} and now()
        and not exists (
          select from vitrine.refresh r
           where (r.chain_id, r.collection, r.token_id) = (h.probe_chain_id, h.probe_collection, h.probe_token_id)
             and r.wanted > r.done and (r.lease is not null or r.not_before <= now()))`,
  );
  for (const { chainId, collection, tokenId } of probes) {
    const tokens = new Map([[tokenId, 0]]);
    await enqueue(db, { chainId: Number(chainId), collection, tokens, trigger: "recheck", rechecks: false });
  }
}

/** Hosts that are left alone now. */
export async function readPaused(db: Queryable): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ host: string }>("select host from vitrine.host where paused_until > now()");
  return new Set(rows.map(({ host }) => host));
}

/** Puts a token back untried until its host may be asked; a busy one may be soon. False when the lease was lost. */
export async function awaitHost(db: Queryable, lease: Lease, host: string): Promise<boolean> {
  const rows = await db.query(
    `update vitrine.refresh r
        set host = $5, lease = null, leased_until = null, attempts = greatest(attempts - 1, 0), anonymous = ${STILL_ANONYMOUS},
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
