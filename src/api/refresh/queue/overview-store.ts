/** The refresh queue for the operator, health and the metrics. Every read is bounded, however much waits. */

import type { Database, Queryable } from "../../db/database.ts";
import { isPaused } from "../../jobs/hosts.ts";
import { hostsOf, LEASED, WAITING } from "./hosts.ts";

/** The urgency of queued work, by its priority. */
export const urgencies = {
  30: "request",
  20: "event",
  15: "anonymous",
  10: "background",
  5: "background",
} as const;
export type Urgency = (typeof urgencies)[keyof typeof urgencies];

export interface QueueState {
  readonly waiting: Readonly<Record<Urgency, number>>;
  /** How long the oldest waiting token has waited; 0 if none waits. */
  readonly oldestSeconds: number;
}

export interface HostState {
  /** Empty for tokens that were never read, whose host is not known yet. */
  readonly host: string;
  /** Counted up to `HOST_TOKENS_MAX`. */
  readonly waiting: number;
  readonly inFlight: number;
  readonly pausedUntil: Date | null;
  readonly reason: string | null;
}

export interface OpenSweep {
  readonly chainId: number;
  readonly collection: string;
  readonly from: string;
  readonly to: string;
  readonly passed: number;
  readonly known: number;
  readonly isCounted: boolean;
  readonly refreshId: string | null;
  readonly createdAt: Date;
}

/** The first entries of a list, and whether there are more. */
export interface Excerpt<Entry> {
  readonly entries: readonly Entry[];
  readonly more: boolean;
}

export interface QueueOverview {
  /** Undefined if the database could not count in time. */
  readonly queue: QueueState | undefined;
  readonly hosts: Excerpt<HostState>;
  readonly sweeps: Excerpt<OpenSweep>;
}

export const HOST_TOKENS_MAX = 1_000;
const HOSTS_MAX = 100;
const SWEEPS_MAX = 50;
// A million waiting tokens are counted in half a second; a busier database is not burdened further.
const COUNT_MS = 1_000;

const excerpt = <Entry>(entries: readonly Entry[], max: number): Excerpt<Entry> => ({
  entries: entries.slice(0, max),
  more: entries.length > max,
});

/** SQL: the tokens that wait or are being fetched. Rechecks count from the moment they are due. */
const QUEUED = `
  (select priority, waiting_since from vitrine.refresh r where ${WAITING}
    union all select priority, waiting_since from vitrine.refresh r where ${LEASED}) as queued
  where waiting_since <= now()`;

export interface QueueDepth {
  readonly waiting: number;
  /** How long the oldest waiting token has waited; 0 if none waits. */
  readonly oldestSeconds: number;
}

/** How much is queued, without its urgency: one statement, which takes as long as a statement may. */
export async function depth(db: Queryable): Promise<QueueDepth> {
  const [row] = await db.query<QueueDepth>(
    `select count(*)::int as waiting,
            coalesce(extract(epoch from now() - min(waiting_since)), 0)::float8 as "oldestSeconds"
       from ${QUEUED}`,
  );
  return row ?? { waiting: 0, oldestSeconds: 0 };
}

/** How much is queued, by its urgency. Rejects when counting takes more than a second. */
export async function readQueueState(database: Database): Promise<QueueState> {
  const rows = await database.transaction(async (tx) => {
    await tx.query(`set local statement_timeout = ${COUNT_MS}`);
    return tx.query<{ priority: keyof typeof urgencies; tokens: number; oldestSeconds: number }>(
      `select priority, count(*)::int as tokens,
              extract(epoch from now() - min(waiting_since))::float8 as "oldestSeconds"
         from ${QUEUED} group by priority`,
    );
  });
  const waiting = { request: 0, event: 0, anonymous: 0, background: 0 };
  for (const { priority, tokens } of rows) waiting[urgencies[priority]] += tokens;
  return { waiting, oldestSeconds: Math.max(0, ...rows.map((row) => row.oldestSeconds)) };
}

/**
 * Hosts with work or in a pause: paused ones first, then those with the most waiting tokens. Rechecks count from the moment
 * they are due. Of more hosts with work than are shown, the first by name are taken.
 */
export async function readHosts(db: Queryable): Promise<Excerpt<HostState>> {
  const rows = await db.query<HostState>(
    `with recursive ${hostsOf("hosts", WAITING, "$1")}, ${hostsOf("leased_hosts", LEASED, "$1")}, paused as (
       select host, paused_until, reason from vitrine.host h
        where ${isPaused("h")} order by paused_until desc limit $1 + 1
     ), named as (
       select host from hosts where host is not null
       union select host from leased_hosts where host is not null
       union select host from paused
     )
     select host, "pausedUntil", reason, waiting, "inFlight" from (
     select n.host, p.paused_until as "pausedUntil", p.reason,
            (select count(*)::int from (
               select from vitrine.refresh r
                where ${WAITING} and r.host = n.host and r.waiting_since <= now() limit $2) w) as waiting,
            (select count(*)::int from vitrine.refresh r
              where ${LEASED} and r.host = n.host and r.leased_until > now()) as "inFlight",
            exists (select from leased_hosts l where l.host = n.host) as "isLeased"
       from named n left join paused p on p.host = n.host) as hosts
      where waiting > 0 or "isLeased" or "pausedUntil" is not null
      order by "pausedUntil" is null, waiting desc, host limit $1 + 1`,
    [HOSTS_MAX, HOST_TOKENS_MAX],
  );
  return excerpt(rows, HOSTS_MAX);
}

/** How many hosts are paused now. */
export async function countPausedHosts(db: Queryable): Promise<number> {
  const [row] = await db.query<{ hosts: number }>(
    `select count(*)::int as hosts from vitrine.host h where ${isPaused("h")}`,
  );
  return row?.hosts ?? 0;
}

/** Sweeps with tokens left to queue, oldest first. */
export async function readOpenSweeps(db: Queryable): Promise<Excerpt<OpenSweep>> {
  const rows = await db.query<
    Omit<OpenSweep, "chainId" | "passed" | "known"> & { chainId: string; passed: string; known: string }
  >(
    `select chain_id as "chainId", collection, from_token_id as "from", to_token_id as "to", passed,
            greatest(known, passed) as known, counted is not distinct from to_token_id as "isCounted",
            receipt_id as "refreshId", created_at as "createdAt"
       from vitrine.sweep where finished_at is null order by id limit $1 + 1`,
    [SWEEPS_MAX],
  );
  const sweeps = rows.map((row) => ({
    ...row,
    chainId: Number(row.chainId),
    passed: Number(row.passed),
    known: Number(row.known),
  }));
  return excerpt(sweeps, SWEEPS_MAX);
}

/** The number of open sweeps, and of their counted tokens that are not queued yet. */
export async function sumOpenSweeps(
  db: Queryable,
): Promise<{ readonly sweeps: number; readonly tokens: number }> {
  const [row] = await db.query<{ sweeps: number; tokens: string }>(
    `select count(*)::int as sweeps, coalesce(sum(greatest(known - passed, 0)), 0) as tokens
       from vitrine.sweep where finished_at is null`,
  );
  return { sweeps: row?.sweeps ?? 0, tokens: Number(row?.tokens ?? 0) };
}
