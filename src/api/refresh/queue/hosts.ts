/** The queue's use of hosts: tokens that wait for their host, and tokens that probe whether a paused host is back. */

import type { Queryable } from "../../db/database.ts";
import { isPaused, isTripped } from "../../jobs/hosts.ts";
import { retryPolicies } from "../../jobs/retry-policies.ts";
import { type Lease, STILL_ANONYMOUS } from "./leases.ts";
import { enqueue } from "./queue.ts";

const BUSY_PAUSE = `interval '${retryPolicies.hostBusy.firstMs} milliseconds'`;
/**
 * SQL: for this long after a pause, only the probe is sent to the host. A probe that no process may claim delays no
 * other token.
 */
export const PROBE_TIME = "interval '30 seconds'";

/** SQL on row `r`, each the condition of an index by host: a token that waits to be claimed, and one that is being fetched. */
export const WAITING = "r.wanted > r.done and r.lease is null";
export const LEASED = "r.lease is not null";

/**
 * SQL of a recursive CTE: each host with such rows, and null, up to as many as `max` says, an SQL expression. By one step
 * down an index per host: the queue may contain a million tokens of one.
 */
export const hostsOf = (name: string, rows: string, max?: string): string => `
  ${name} as (
    (select r.host, 1 as place from vitrine.refresh r where ${rows} order by r.host limit 1)
    union all
    select (select r.host from vitrine.refresh r where ${rows} and r.host > h.host order by r.host limit 1), h.place + 1
      from ${name} h where h.host is not null${max === undefined ? "" : ` and h.place <= ${max}`}
  )`;

// How many tokens are read for a probe: the queue may hold a million of a host that has answered for none.
const TOKENS_READ = 200;
const COLLECTIONS_READ = 5;

/**
 * Chooses a token that the host has answered for: others may fail for a reason of their own. One that waits for the host or is
 * being fetched, or else one of the same collections.
 */
export async function chooseProbe(db: Queryable, host: string): Promise<void> {
  await db.query(
    `update vitrine.host h
        set probe_chain_id = k.chain_id, probe_collection = k.collection, probe_token_id = k.token_id
       from (with awaited as materialized (
               (select r.chain_id, r.collection, r.token_id from vitrine.refresh r
                 where ${WAITING} and r.host = $1 limit ${TOKENS_READ})
               union all
               (select r.chain_id, r.collection, r.token_id from vitrine.refresh r
                 where ${LEASED} and r.host = $1 limit ${TOKENS_READ})
             ), tokens as materialized (
               select * from awaited
               union all
               select o.chain_id, o.collection, o.token_id
                 from (select distinct chain_id, collection from awaited limit ${COLLECTIONS_READ}) c
                cross join lateral (
                  select r.* from vitrine.refresh r where (r.chain_id, r.collection) = (c.chain_id, c.collection)
                   order by r.chain_id, r.collection, r.token_id limit ${TOKENS_READ}) o
                where o.host = $1)
             select a.* from tokens a
              -- Token by token up to the first: joined, all tokens may be read.
              cross join lateral (
                select from vitrine.token t
                 where (t.chain_id, t.collection, t.token_id) = (a.chain_id, a.collection, a.token_id)
                   and t.last_outcome = 'good' offset 0) t
              limit 1) k
      where h.host = $1`,
    [host],
  );
}

/** Enqueues the probes of hosts whose pause has just ended, unless those tokens are due anyway. */
export async function enqueueProbes(db: Queryable): Promise<void> {
  const probes = await db.query<{ chainId: string; collection: string; tokenId: string }>(
    `select h.probe_chain_id as "chainId", h.probe_collection as collection, h.probe_token_id as "tokenId"
       from vitrine.host h
      where ${isTripped("h")} and h.probe_token_id is not null
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

/**
 * Releases a token without an attempt until its host may be asked: at the end of its pause, or soon. False if the lease
 * was lost.
 */
export async function awaitHost(db: Queryable, lease: Lease, host: string): Promise<boolean> {
  const rows = await db.query(
    `update vitrine.refresh r
        set host = $5, lease = null, leased_until = null, attempts = greatest(attempts - 1, 0), anonymous = ${STILL_ANONYMOUS},
            not_before = coalesce((select h.paused_until from vitrine.host h where h.host = $5 and ${isPaused("h")}),
                                  now() + ${BUSY_PAUSE})
      where chain_id = $1 and collection = $2 and token_id = $3 and lease = $4 returning 1`,
    [lease.chainId, lease.collection, lease.tokenId, lease.id, host],
  );
  return rows.length > 0;
}

/** Stores which hosts the tokens' documents came from, for the next claim. */
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

/** How many processes hold leases of each host, including `worker`. */
export async function countWorkers(db: Queryable, worker: string): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ host: string; workers: number }>(
    `select r.host, 1 + count(distinct r.worker) filter (where r.worker <> $1)::int as workers
       from vitrine.refresh r where ${LEASED} and r.leased_until > now() group by r.host`,
    [worker],
    "workers",
  );
  return new Map(rows.map(({ host, workers }) => [host, workers]));
}
