/** Selects the tokens to fetch next: due tokens in order of priority, of hosts that may be asked. */

import { randomUUID } from "node:crypto";
import type { Standard } from "../../../config.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import { tokenState } from "../../chain/index/token-state.ts";
import type { Queryable } from "../../db/database.ts";
import { isPaused, isTripped } from "../../jobs/hosts.ts";
import type { KnownDocument } from "../../metadata/uri/resolve.ts";
import { hostsOf, LEASED, PROBE_TIME, WAITING } from "./hosts.ts";
import { type Asker, LEASE, type Lease, STILL_ANONYMOUS } from "./leases.ts";
import { ANONYMOUS_PRIORITY, callerTriggers, priorityLevels } from "./priorities.ts";

/** What a process may claim. */
export interface Share {
  /** The chains that this process has an endpoint for. */
  readonly chainIds: readonly number[];
  /** Tokens of one host, unless `hosts` has another number for it. */
  readonly perHost: number;
  readonly hosts?: ReadonlyMap<string, number>;
  /** Tokens that were never read, whose host is unknown. `count` by default. */
  readonly unread?: number;
  /** The process, so that others know how many share a host. */
  readonly worker?: string;
}

// As a filter only: the primary key begins with the chain, and a scan by it would read every token of the chain.
const isOurChain = "(r.chain_id = any($1)) is true";
const waiting = `${WAITING} and ${isOurChain}`;
const isDue = `${waiting} and r.host = o.host and r.priority = level.priority and r.not_before <= now()`;
const levels = `(values ${priorityLevels.map((level) => `(${level})`).join(", ")}) as level(priority)`;

const hosts = hostsOf("hosts", WAITING);

// A host whose pause has ended is probed by a single fetch of all processes first, if possible of a token that it has
// answered for before.
const isProbed = isTripped("p");

// Processes that claim at the same moment see the same tokens, and each takes those that the others leave.
const RIVALS = 4;

// Of callers' fetches only: a sweep claims hundreds at a time, and no request waits for them.
const ASKERS_MAX = 5;
const askers = `(
  select json_agg(json_build_object('requestId', p.request_id, 'traceparent', p.traceparent) order by p.created_at)
    from (select p.request_id, p.traceparent, p.created_at
            from vitrine.receipt_token w join vitrine.receipt p on p.id = w.receipt_id
           where (w.chain_id, w.collection, w.token_id) = (c.chain_id, c.collection, c.token_id)
             and w.status is null and w.wanted <= c.started and p.request_id is not null
           order by p.created_at limit ${ASKERS_MAX}) p)`;

/**
 * Claims up to `count` due tokens in order of priority, none that is leased. Returns before the claim is
 * on disk: one that a crash of the database undoes is a token that waits again, and what is recorded for it comes later
 * in the log.
 */
export async function claim(
  db: Queryable,
  tables: ChainTables,
  { chainIds, perHost, hosts: quotas = new Map(), unread, worker }: Share,
  count: number,
): Promise<Lease[]> {
  const rows = await db.query<
    Omit<Lease, "standard" | "chainId" | "minBlock" | "burnedBlock" | "known" | "askers"> & {
      chainId: string;
      minBlock: string;
      standard: Standard | null;
      burnedBlock: string | null;
      known: KnownDocument | null;
      askers: Asker[] | null;
    }
  >(
    `with recursive ${hosts}, open_hosts as materialized (
       select h.host, p.probe_chain_id, p.probe_collection,
              case when ${isProbed} and p.paused_until > now() - ${PROBE_TIME} then p.probe_token_id end as probe_token_id,
              -- The host of a token that was never read is not known yet.
              case when h.host = '' then $5
                   when ${isProbed} then case when exists (
                     select from vitrine.refresh r
                      where ${LEASED} and r.host = h.host and r.leased_until > now()) then 0 else 1 end
                   else coalesce(o.slots, $3) end as slots
         from hosts h left join vitrine.host p on p.host = h.host
         left join unnest($6::text[], $7::int[]) as o(host, slots) on o.host = h.host
        where h.host is not null and not ${isPaused("p")}
     ), candidates as (
       select f.*, row_number() over (
                partition by f.host
                order by
                  -- Those whose host nobody knows yet take turns by who asks: keyed callers, events and strangers, none waits
                  -- for all of another. What runs in the background comes after them.
                  case when f.host = '' and f.priority >= ${ANONYMOUS_PRIORITY} then f.nth end, f.priority desc, f.not_before) as place
         from (
           select d.*, o.host, o.slots,
                  row_number() over (partition by o.host, d.priority order by d.not_before) as nth
             from open_hosts o
            cross join ${levels}
            cross join lateral (
              (select r.ctid as row_at, r.priority, r.not_before from vitrine.refresh r
                where ${isDue} and o.probe_token_id is null
                order by r.not_before limit greatest(0, least($2 * ${RIVALS}, o.slots)))
              union all
              -- By its key, and not among all that waits for the host.
              select r.row_at, r.priority, r.not_before from (
                select ctid as row_at, * from vitrine.refresh
                 where (chain_id, collection, token_id) = (o.probe_chain_id, o.probe_collection, o.probe_token_id)
                offset 0) r
               where o.probe_token_id is not null and ${isDue}) d
            where o.slots > 0) f
     ), due as materialized (
       select row_at, priority, not_before from candidates where place <= slots
        order by priority desc, not_before limit $2 * ${RIVALS}
     ), mine as (
       -- In the order of what is due, row by row: joined, all that waits may be read to find a few.
       select m.* from due d cross join lateral (
         select r.ctid as row_at from vitrine.refresh r
          where r.ctid = d.row_at and ${WAITING}
            for update skip locked) m
        limit $2
     ), claimed as (
       update vitrine.refresh r
          set lease = $4, worker = $8, leased_until = now() + ${LEASE}, started = wanted, attempts = attempts + 1,
              last_started_at = now(),
              anonymous_started_at = case when ${STILL_ANONYMOUS} then now() else r.anonymous_started_at end,
              anonymous = false
         from mine m where r.ctid = m.row_at
       returning r.*
     )
     select c.lease as id, c.chain_id as "chainId", c.collection, c.token_id as "tokenId", c.started, c.trigger, c.priority,
            -- An event named a token that is owed a recheck, whoever brought the start forward.
            coalesce(c.anonymous_started_at = c.last_started_at, false) and c.looks is null and t.good_block is null
              as "isUnproven",
            -- Never older than what is served, whichever node answers; a reorg voids the blocks that were read before.
            case when c.trigger = 'reorg' then c.min_block else greatest(c.min_block, t.good_block) end as "minBlock",
            c.attempts, c.accept, c.host, s.standard,
            case when s.burned then s.burned_block end as "burnedBlock",
            case when c.trigger = 'sample' then (
              select json_build_object('uri', v.uri, 'etag', v.etag, 'hash', v.content_hash)
                from vitrine.version v where v.id = t.served_version and v.uri is not null and v.etag is not null)
            end as known,
            case when c.trigger = any($9) then ${askers} end as askers
       from claimed c
      cross join (select set_config('synchronous_commit', 'off', true) offset 0) as unwaited
       left join lateral ${tokenState(tables, { chainId: "c.chain_id", collection: "c.collection", tokenId: "c.token_id" })} s on true
       left join vitrine.token t on (t.chain_id, t.collection, t.token_id) = (c.chain_id, c.collection, c.token_id)`,
    [
      chainIds,
      count,
      perHost,
      randomUUID(),
      unread ?? count,
      [...quotas.keys()],
      [...quotas.values()],
      worker ?? null,
      callerTriggers,
    ],
    "claim",
  );
  return rows.map((row) => ({
    ...row,
    chainId: Number(row.chainId),
    minBlock: Number(row.minBlock),
    standard: row.standard ?? undefined,
    burnedBlock: row.burnedBlock === null ? undefined : Number(row.burnedBlock),
    known: row.known ?? undefined,
    askers: row.askers ?? undefined,
  }));
}

/**
 * Milliseconds until this process may claim a token, or a lease may have run out: 0 if one is due now, undefined if
 * nothing waits.
 */
export async function nextDueMs(
  db: Queryable,
  { chainIds }: Pick<Share, "chainIds">,
): Promise<number | undefined> {
  const [row] = await db.query<{ ms: number | null }>(
    `with recursive ${hosts}
     select (extract(epoch from min(due) - now()) * 1000)::float8 as ms from (
       select greatest(d.not_before, p.paused_until) as due
         from hosts h left join vitrine.host p on p.host = h.host
        cross join ${levels}
        cross join lateral (
          select r.not_before from vitrine.refresh r
           where ${waiting} and r.host = h.host and r.priority = level.priority order by r.not_before limit 1) d
       union all
       -- The second condition is always true; without statistics, PostgreSQL reads the whole queue for the first alone.
       select min(r.leased_until) from vitrine.refresh r where ${LEASED} and r.leased_until > '-infinity') as times`,
    [chainIds],
    "next due",
  );
  // Not SQL's greatest(), which would return 0 for an empty queue: the worker would never rest.
  return row?.ms == null ? undefined : Math.max(0, row.ms);
}
