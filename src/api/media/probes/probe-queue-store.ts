/** The queue of media probes, their leases and their results, in PostgreSQL. */

import { randomUUID } from "node:crypto";
import { LRUCache } from "lru-cache";
import { columnsOf } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import { isPaused } from "../../jobs/hosts.ts";
import type { MediaKind } from "../media-store.ts";

/** A URL that this process has leased. Once the lease expires, it goes back to the queue. */
export interface MediaLease {
  readonly id: string;
  readonly kind: MediaKind;
  /** Hexadecimal. */
  readonly urlHash: string;
  readonly url: string;
  readonly host: string;
  /** Includes this one; counted since the last request or the last completed probe. */
  readonly attempts: number;
  /** The probe's number: it answers requests up to this one. */
  readonly started: string;
  /** The result of the last probe. */
  readonly status: "pending" | "accepted" | "rejected";
  readonly reason: string | null;
  readonly sourceHash: string | null;
  /** The host's ETag for the bytes of the last probe. */
  readonly etag: string | null;
  readonly file: string | null;
  /** See `MediaFinding`. */
  readonly leadsTo: string | null;
}

const LEASE = "interval '30 seconds'";
/** SQL on row `m`, the condition of the database index by host: a URL that waits to be probed. */
export const IS_WAITING = "m.wanted > m.done and m.lease is null";

// A window of hosts takes some 50 ms to read: whoever publishes documents chooses how many hosts wait, for a day each when
// they are dead.
const HOSTS_MAX = 5_000;
// A claim reads windows for about this long, or one if it has work already; the next ones rest for twice as long.
const WINDOWS_MS = 250;
const WINDOWS_REST = 2;
// A host with work due is claimed from without another turn of the windows.
const ACTIVE_MAX = 200;
const ACTIVE_MS = 60_000;

/** The hosts of a window that have a probe due, and after which host the next window begins. */
interface HostWindow {
  readonly due: readonly string[];
  readonly next: string;
}

/** The hosts after `after` with a pending probe, by one step down the database index per host: a collection may have only one. */
async function readHosts(db: Queryable, after: string): Promise<HostWindow> {
  const [row] = await db.query<{ due: string[] | null; last: string | null; count: number }>(
    `with recursive hosts as (
       (select m.host, m.not_before, 1 as place from vitrine.media m
         where ${IS_WAITING} and m.host > $1 order by m.host, m.not_before limit 1)
       union all
       select n.host, n.not_before, h.place + 1 from hosts h
        cross join lateral (
          select m.host, m.not_before from vitrine.media m
           where ${IS_WAITING} and m.host > h.host order by m.host, m.not_before limit 1) n
        where h.place < $2
     )
     select array_agg(host) filter (where not_before <= now()) as due, max(host) as last, count(*)::int as count from hosts`,
    [after, HOSTS_MAX],
    "media hosts",
  );
  const isFull = row?.count === HOSTS_MAX;
  return { due: row?.due ?? [], next: (isFull && row.last) || "" };
}

async function claimOf(
  db: Queryable,
  hosts: readonly string[],
  perHost: number,
  count: number,
): Promise<MediaLease[]> {
  return db.query<MediaLease>(
    `with open_hosts as materialized (
       select h.host, $2 - (select count(*) from vitrine.media l
                             where l.lease is not null and l.host = h.host and l.leased_until > now()) as slots
         from unnest($4::text[]) as h(host) left join vitrine.host p on p.host = h.host
        where not ${isPaused("p")}
     ), due as (
       select d.kind, d.url_hash from open_hosts o
        cross join lateral (
          select m.kind, m.url_hash, m.not_before from vitrine.media m
           where ${IS_WAITING} and m.host = o.host and m.not_before <= now()
           order by m.not_before limit greatest(0, least($1, o.slots)) for update skip locked) d
        order by d.not_before limit $1
     )
     update vitrine.media m
        set lease = $3, leased_until = now() + ${LEASE}, started = wanted, attempts = attempts + 1,
            last_started_at = now()
       from due d where (m.kind, m.url_hash) = (d.kind, d.url_hash)
     returning m.lease as id, m.kind, encode(m.url_hash, 'hex') as "urlHash", m.url, m.host, m.attempts, m.started, m.status,
               m.reason, m.source_hash as "sourceHash", m.etag, m.file, m.leads_to as "leadsTo"`,
    [count, perHost, randomUUID(), hosts],
  );
}

/**
 * Claims up to a number of due URLs, longest due first: none that is leased, and none of a paused host. Where more than
 * HOSTS_MAX hosts wait, first those of hosts that it has claimed from in the last minute, and then of the next hosts in turn;
 * such a claim may find nothing. `perHost` bounds the probes of one host over all processes; processes that claim at the same
 * moment may exceed it.
 */
export function createMediaClaim(
  db: Queryable,
  perHost: number,
): (count: number) => Promise<readonly MediaLease[]> {
  const active = new LRUCache<string, true>({ max: ACTIVE_MAX, ttl: ACTIVE_MS });
  let after = "";
  let hasWindows = false;
  let restsUntil = Number.NEGATIVE_INFINITY;

  async function claimOfActive(count: number): Promise<MediaLease[]> {
    const hosts = [...active.keys()];
    return hasWindows && hosts.length > 0 ? claimOf(db, hosts, perHost, count) : [];
  }

  /** Adds what the next windows have to `leases`, up to `count`. */
  async function claimOfWindows(leases: MediaLease[], count: number): Promise<void> {
    const startedAt = performance.now();
    const budgetMs = startedAt < restsUntil ? 0 : leases.length > 0 ? 1 : WINDOWS_MS;
    for (let took = 0; leases.length < count && took < budgetMs; ) {
      const first = after;
      const { due, next } = await readHosts(db, first);
      after = next;
      hasWindows = next !== "" || (hasWindows && first !== "");
      if (due.length > 0) leases.push(...(await claimOf(db, due, perHost, count - leases.length)));
      if (!hasWindows) break;
      took = performance.now() - startedAt;
      restsUntil = performance.now() + WINDOWS_REST * took;
      if (next === "") break;
    }
  }

  return async (count) => {
    const leases = await claimOfActive(count);
    try {
      await claimOfWindows(leases, count);
    } catch (error) {
      // What is leased already would wait for the end of its lease; the next claim meets the same fault.
      if (leases.length === 0) throw error;
    }
    for (const { host } of leases) active.set(host, true);
    return leases;
  };
}

const keysOf = (leases: readonly MediaLease[]): [string[], string[], string[]] =>
  columnsOf(leases, "kind", "urlHash", "id");
// In the order in which `enqueue` locks rows: otherwise the two deadlock, and one waits a second to be tried again.
const LEASED = `
  from (select m.kind, m.url_hash from vitrine.media m
          join unnest($1::text[], $2::text[], $3::uuid[]) as k(kind, hash, id)
            on (m.kind, m.url_hash, m.lease) = (k.kind, decode(k.hash, 'hex'), k.id)
         order by m.kind, m.url_hash for update of m) leased
  where (m.kind, m.url_hash) = (leased.kind, leased.url_hash)`;

/** Extends the leases that this process still works on. */
export async function renewMedia(db: Queryable, leases: readonly MediaLease[]): Promise<void> {
  if (leases.length === 0) return;
  await db.query(`update vitrine.media m set leased_until = now() + ${LEASE} ${LEASED}`, keysOf(leases));
}

/** Releases unfinished leases; any process may take them at once. */
export async function releaseMedia(db: Queryable, leases: readonly MediaLease[]): Promise<void> {
  if (leases.length === 0) return;
  await db.query(
    `update vitrine.media m set lease = null, leased_until = null, attempts = greatest(0, m.attempts - 1) ${LEASED}`,
    keysOf(leases),
  );
}

/** Puts URLs back whose leases ran out, as after the crash of a process. Each is due at once, and has used up an attempt. */
export async function returnExpiredMedia(db: Queryable): Promise<void> {
  await db.query(returnLeases("e.leased_until < now()"));
}

/** SQL: puts the URLs `e` back. Not in the order of `LEASED`: it waits for no row. */
const returnLeases = (which: string): string => `
  update vitrine.media m set lease = null, leased_until = null, not_before = least(not_before, now())
   where m.ctid = any(array(
     select e.ctid from vitrine.media e where e.lease is not null and ${which} for update skip locked))`;

/**
 * The same for up to `limit` leases that run longer than any does: of a clock that has stepped back since. One that a process
 * still renews is lost to it at worst, and its URL probed once more. Returns how many they were.
 */
export async function returnLong(db: Queryable, limit: number): Promise<number> {
  const sql = returnLeases(`e.leased_until > now() + 2 * ${LEASE} limit $1`);
  return (await db.query(`${sql} returning 1`, [limit])).length;
}

/** The result of a probe; null where it does not apply. */
export interface MediaFinding {
  readonly status: "accepted" | "rejected";
  readonly reason: string | null;
  readonly sourceHash: string | null;
  readonly etag: string | null;
  readonly file: string | null;
  readonly format: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly bytes: number | null;
  /** The host that redirects led to, if different. */
  readonly leadsTo: string | null;
}

/** Completes a probe that read the content. False when the lease was lost; nothing is stored then. */
export async function completeProbe(
  db: Queryable,
  lease: MediaLease,
  finding: MediaFinding,
): Promise<boolean> {
  const rows = await db.query(
    `update vitrine.media
        set status = $4, reason = $5, source_hash = $6, file = $7, format = $8, width = $9, height = $10, bytes = $11, etag = $12, leads_to = $13,
            checked_at = now(), done = started, attempts = 0, lease = null, leased_until = null
      where kind = $1 and url_hash = decode($2, 'hex') and lease = $3 returning 1`,
    [
      lease.kind,
      lease.urlHash,
      lease.id,
      finding.status,
      finding.reason,
      finding.sourceHash,
      finding.file,
      finding.format,
      finding.width,
      finding.height,
      finding.bytes,
      finding.etag,
      finding.leadsTo,
    ],
  );
  return rows.length > 0;
}

/** Completes a probe that found the same bytes as before, under `etag` if the host sent a new one. The state stays. */
export async function confirmMedia(
  db: Queryable,
  lease: MediaLease,
  { etag, leadsTo }: { readonly etag?: string | undefined; readonly leadsTo: string | null },
): Promise<boolean> {
  const rows = await db.query(
    `update vitrine.media
        set reason = case when status = 'accepted' then null else reason end, etag = coalesce($4, etag), leads_to = $5,
            checked_at = now(), done = started, attempts = 0, lease = null, leased_until = null
      where kind = $1 and url_hash = decode($2, 'hex') and lease = $3 returning 1`,
    [lease.kind, lease.urlHash, lease.id, etag ?? null, leadsTo],
  );
  return rows.length > 0;
}

/**
 * Ends a probe that could not read the content, and schedules the next one. An accepted URL stays accepted, with the
 * reason recorded; any other is rejected, or pending as long as `isOpen`. A newer request is not delayed.
 */
export async function rescheduleProbe(
  db: Queryable,
  lease: MediaLease,
  next: {
    readonly delayMs: number;
    readonly reason: string;
    readonly isOpen: boolean;
    readonly isCounted: boolean;
  },
): Promise<boolean> {
  const rows = await db.query(
    `update vitrine.media
        set status = case when status = 'pending' and not $6 then 'rejected' else status end, reason = $5,
            -- The reason of a refusal is written over, so the same bytes have to be probed again.
            source_hash = case when status = 'accepted' then source_hash end,
            checked_at = now(), lease = null, leased_until = null, attempts = greatest(0, attempts - case when $7 then 0 else 1 end),
            not_before = case when wanted > started then not_before
                              else now() + $4::float8 * interval '1 millisecond' end
      where kind = $1 and url_hash = decode($2, 'hex') and lease = $3 returning 1`,
    [lease.kind, lease.urlHash, lease.id, next.delayMs, next.reason, next.isOpen, next.isCounted],
  );
  return rows.length > 0;
}
