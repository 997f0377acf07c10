/** Leases of the refresh queue: a worker renews them while it fetches, and completes, reschedules or releases each. */

import type { Standard } from "../../../config.ts";
import { type TokenRef, tokenKey } from "../../../domain/token-ref.ts";
import { columnsOf } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import { isFaulty } from "../../jobs/hosts.ts";
import { nextStart } from "../../jobs/next-start.ts";
import { recheckPolicy } from "../../jobs/retry-policies.ts";
import type { KnownDocument } from "../../metadata/uri/resolve.ts";
import { forgetEnded } from "./ended-tokens.ts";
import { priorities, type Trigger } from "./priorities.ts";

/** SQL: from one start of a token's fetch to the next, at least. */
const START_SPACING = "interval '5 seconds'";
/** SQL: when a token may start again, null if it never did. */
export const nextTokenStart = (start: string): string => nextStart(start, START_SPACING);
export const LEASE = "interval '15 seconds'";

/** A token that this process may fetch while it has the lease. */
export interface Lease extends TokenRef {
  readonly id: string;
  readonly started: string;
  readonly trigger: Trigger;
  readonly priority: number;
  readonly minBlock: number;
  readonly attempts: number;
  readonly accept: boolean;
  /** The host of its last document; empty before the first. */
  readonly host: string;
  /**
   * Only callers without a key requested it, and it was never read successfully: its failures say nothing about the
   * host.
   */
  readonly isUnproven: boolean;
  readonly standard: Standard | undefined;
  /** The chain index knows that it is burned, so nothing is read. */
  readonly burnedBlock: number | undefined;
  /** For a sample: the served version, if its host sent a strong ETag with it. */
  readonly known?: KnownDocument | undefined;
  /** The oldest requests whose receipts wait for it, if callers asked for it. */
  readonly askers?: readonly Asker[] | undefined;
}

/** A request that waits for a fetch. */
export interface Asker {
  readonly requestId: string | null;
  /** Of the span that asked, while traces are on. */
  readonly traceparent: string | null;
}

// SQL on row `r`: an attempt in progress still belongs to the callers who caused it.
export const STILL_ANONYMOUS =
  "(r.anonymous or (r.wanted = r.started and coalesce(r.anonymous_started_at = r.last_started_at, false)))";

const current = "chain_id = $1 and collection = $2 and token_id = $3 and lease = $4";
const keyOf = (lease: Lease): unknown[] => [lease.chainId, lease.collection, lease.tokenId, lease.id];

// In the order in which `enqueue` locks rows: otherwise the two deadlock, and a caller's request fails.
const lockRows = (more: string): string => `
  select r.chain_id, r.collection, r.token_id${more} from vitrine.refresh r
    join unnest($1::bigint[], $2::text[], $3::numeric[], $4::uuid[]) as l(chain_id, collection, token_id, lease)
         using (chain_id, collection, token_id, lease)
   order by chain_id, collection, token_id::text collate "C" for update of r`;
const lockInOrder = lockRows("");
const keysOf = (leases: readonly Lease[]): unknown[] =>
  columnsOf(leases, "chainId", "collection", "tokenId", "id");

/**
 * Extends leases that were not lost. Waits for none that is being recorded, which can take seconds where documents are large:
 * while its row is locked, nobody puts it back, and the others would run out.
 */
export async function renew(db: Queryable, leases: readonly Lease[]): Promise<void> {
  await db.query(
    `with leased as (${lockInOrder} skip locked)
     update vitrine.refresh r set leased_until = now() + ${LEASE}
       from leased h where (r.chain_id, r.collection, r.token_id) = (h.chain_id, h.collection, h.token_id)`,
    keysOf(leases),
  );
}

/** The result of `lockLeases`. */
export interface LockedLeases<Each extends Lease> {
  /** The leases that were not lost. */
  readonly current: readonly Each[];
  /** Those of them that receipts wait for. */
  readonly awaited: ReadonlySet<Each>;
  /** Those of the hosts that have failed recently. */
  readonly faultyHosts: ReadonlySet<string>;
}

/** Locks the tokens' rows for the transaction. A later receipt waits for a later fetch. */
export async function lockLeases<Each extends Lease>(
  db: Queryable,
  leases: readonly Each[],
  hosts: readonly string[] = [],
): Promise<LockedLeases<Each>> {
  const rows = await db.query<Row & { awaited: boolean; faultyHosts: string[] | null }>(
    lockRows(`,
         exists (select from vitrine.receipt_token t
                  where (t.chain_id, t.collection, t.token_id) = (r.chain_id, r.collection, r.token_id)
                    and t.status is null) as awaited,
         (select array_agg(h.host) from vitrine.host h where h.host = any($5)) as "faultyHosts"`),
    [...keysOf(leases), hosts],
    "lock leases",
  );
  return {
    current: currentOf(leases, rows),
    awaited: new Set(
      currentOf(
        leases,
        rows.filter(({ awaited }) => awaited),
      ),
    ),
    faultyHosts: new Set(rows[0]?.faultyHosts),
  };
}

/**
 * SQL: the token of a `request`, a row, may have moved away from its host, which is paused: its URI says, and the token waits
 * for the host if it has not.
 */
export const mayHaveMoved = (request: "r" | "excluded", host: string): string =>
  `${request}.trigger not in ('recheck', 'sample') and not ${request}.anonymous and ${isFaulty(host)}`;

// A request came during the fetch.
const mayMoveAfter = (host: string): string => `r.wanted > r.started and ${mayHaveMoved("r", host)}`;

/** The outcome of a fetch, as far as the queue is concerned. */
export interface FetchEnding {
  readonly status: "updated" | "unchanged" | "failed" | "not_found";
  /** The token is burned: rechecked as such. */
  readonly isBurned?: boolean | undefined;
  /** The host of the document. */
  readonly host?: string | undefined;
}

/**
 * Completes fetches. Returns the leases that were not lost; nothing may be stored for the others. If an event still has
 * a recheck left and nothing else waits, schedules it. New content cancels rechecks, and any fetch in between counts as
 * one. For several leases, the rows must have been locked by `lockLeases`, always in the same order.
 */
export async function complete<Each extends Lease>(
  db: Queryable,
  leases: readonly Each[],
  endingOf: (lease: Each) => FetchEnding = () => ({ status: "updated" }),
): Promise<Each[]> {
  const endings = leases.map(endingOf);
  const { pausesMs, attempts } = recheckPolicy;
  const waits = pausesMs.map((ms, nth) => `when ${nth} then interval '${ms} milliseconds'`).join(" ");
  const rechecksMax = `case k.status when 'unchanged' then ${attempts.unchanged} when 'failed' then ${attempts.failed}
    when 'burned' then ${attempts.burned} else 0 end`;
  // What a reorg voids, and what a sweep skips, is owed to a burned token as an event is: a reorg may remove the burn alone.
  const rechecks =
    "coalesce(r.looks, case when k.status = 'burned' and r.trigger in ('reorg', 'sweep') then 0 end)";
  const isOwed = `(r.wanted = r.started and ${rechecks} < ${rechecksMax})`;
  const nextRecheckAt = `now() + case ${rechecks} ${waits} end`;
  const rows = await db.query<Row>(
    `update vitrine.refresh r
        set done = started, lease = null, leased_until = null, attempts = 0, last_reason = null,
            host = case when ${mayMoveAfter("coalesce(k.host, r.host)")} then '' else coalesce(k.host, r.host) end,
            -- The triggers that named a block are answered; a reorg may have removed the block away since.
            min_block = case when wanted > started then min_block else 0 end,
            accept = accept and wanted > started,
            looks = case when wanted > started then looks when ${isOwed} then ${rechecks} + 1 end,
            wanted = case when ${isOwed} then wanted + 1 else wanted end,
            trigger = case when ${isOwed} then 'recheck' else trigger end,
            priority = case when ${isOwed} then ${priorities.recheck} else priority end,
            not_before = case when ${isOwed} then ${nextRecheckAt}
                              else greatest(not_before, ${nextTokenStart("last_started_at")}) end,
            waiting_since = case when wanted > started then waiting_since when ${isOwed} then ${nextRecheckAt} else now() end
       from unnest($1::bigint[], $2::text[], $3::numeric[], $4::uuid[], $5::text[], $6::text[])
         as k(chain_id, collection, token_id, lease, status, host)
      where (r.chain_id, r.collection, r.token_id, r.lease) = (k.chain_id, k.collection, k.token_id, k.lease)
     returning r.chain_id, r.collection, r.token_id`,
    [
      ...keysOf(leases),
      endings.map(({ status, isBurned }) => (isBurned ? "burned" : status)),
      endings.map(({ host }) => host ?? null),
    ],
    "complete leases",
  );
  const missing = leases.filter((_, index) => endings[index]?.status === "not_found");
  if (missing.length > 0) await forgetEnded(db, missing);
  return currentOf(leases, rows);
}

interface Row {
  readonly chain_id: string;
  readonly collection: string;
  readonly token_id: string;
}

function currentOf<Each extends Lease>(leases: readonly Each[], rows: readonly Row[]): Each[] {
  const current = new Set(
    rows.map((row) =>
      tokenKey({ chainId: Number(row.chain_id), collection: row.collection, tokenId: row.token_id }),
    ),
  );
  return leases.filter((lease) => current.has(tokenKey(lease)));
}

/**
 * Schedules another attempt; false if the lease was lost. After the first failure of a fetch that no caller requested, only
 * `delayMs` applies and not the spacing, since a sweep would wait for it at its end. Callers could repeat such firsts. A request
 * that came during the fetch waits no longer than one that comes after it.
 */
export async function reschedule(
  db: Queryable,
  lease: Lease,
  delayMs: number,
  reason: string,
): Promise<boolean> {
  const isSpaced = lease.attempts > 1 || priorities[lease.trigger] > priorities.event;
  const rows = await db.query(
    `update vitrine.refresh r
        set lease = null, leased_until = null, last_reason = $6, anonymous = ${STILL_ANONYMOUS},
            host = case when ${mayMoveAfter("r.host")} then '' else r.host end,
            not_before = least(case when wanted > started then greatest(not_before, ${nextTokenStart("last_started_at")}) end,
              greatest(now() + $5 * interval '1 millisecond', case when $7 then ${nextTokenStart("last_started_at")} end))
      where ${current} returning 1`,
    [...keyOf(lease), delayMs, reason, isSpaced],
  );
  return rows.length > 0;
}

/** Releases leases without an attempt, so that the next process need not wait for them to expire. */
export async function release(db: Queryable, leases: readonly Lease[]): Promise<void> {
  await db.query(
    `with leased as (${lockInOrder})
     update vitrine.refresh r
        set lease = null, leased_until = null, attempts = greatest(attempts - 1, 0), anonymous = ${STILL_ANONYMOUS},
            not_before = ${nextTokenStart("last_started_at")}
       from leased h where (r.chain_id, r.collection, r.token_id) = (h.chain_id, h.collection, h.token_id)`,
    keysOf(leases),
  );
}

/**
 * Puts tokens back whose leases ran out, as after the crash of a process. Each is due at once, whatever later requests have
 * to wait for, and has used up an attempt.
 */
export async function returnExpired(db: Queryable): Promise<void> {
  await db.query(returnLeases("e.leased_until < now()"), [], "expired leases");
}

/** SQL: puts the tokens `e` back. Not in the order of `lockRows`: it waits for no row. */
const returnLeases = (which: string): string => `
  update vitrine.refresh r
     set lease = null, leased_until = null, anonymous = ${STILL_ANONYMOUS}, not_before = least(not_before, now())
   where r.ctid = any(array(
     select e.ctid from vitrine.refresh e where e.lease is not null and ${which} for update skip locked))`;

/**
 * The same for up to `limit` leases that run longer than any does: of a clock that has stepped back since. One that a process
 * still renews is lost to it at worst, and its token fetched once more. Returns how many they were.
 */
export async function returnLong(db: Queryable, limit: number): Promise<number> {
  const sql = returnLeases(`e.leased_until > now() + 2 * ${LEASE} limit $1`);
  return (await db.query(`${sql} returning 1`, [limit])).length;
}
