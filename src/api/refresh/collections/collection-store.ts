/** Refreshes of whole collections that apps request: their sweeps, their progress and how they end. Contains their SQL. */

import type { CollectionRef } from "../../../domain/token-ref.ts";
import type { Queryable } from "../../db/database.ts";
import { foldReceipt } from "../receipts/progress-store.ts";
import type { SweepWithReceipt } from "../triggers/new-sweeps.ts";
import type { OpenSweep } from "../triggers/sweep-store.ts";

export type CollectionRefreshStatus = "running" | "done" | "cancelled";

/** Adds the sweep of an app's refresh, and returns its receipt's id; undefined if one of the collection has not ended. */
export async function addAppSweep(
  db: Queryable,
  sweep: SweepWithReceipt & { readonly appId: string },
): Promise<string | undefined> {
  const { chainId, collection, from, to, block, skipRead, receiptId, appId } = sweep;
  const [row] = await db.query<{ receiptId: string }>(
    `insert into vitrine.sweep (chain_id, collection, from_token_id, to_token_id, block, skip_read, receipt_id, app_id)
     values ($1, $2, $3, $4, $5, $6, $7, $8)
     on conflict (chain_id, collection) where app_id is not null and ended_at is null do nothing
     returning receipt_id as "receiptId"`,
    [chainId, collection, from, to, block, skipRead, receiptId, appId],
  );
  return row?.receiptId;
}

export interface RunningRefresh {
  readonly receiptId: string;
  readonly appId: string;
  /** It ends once what is being fetched of it is recorded. */
  readonly isCancelled: boolean;
}

/** The app's refresh of a collection that has not ended. */
export async function findRunning(
  db: Queryable,
  { chainId, collection }: CollectionRef,
): Promise<RunningRefresh | undefined> {
  const [row] = await db.query<RunningRefresh>(
    `select receipt_id as "receiptId", app_id as "appId", cancelled_at is not null as "isCancelled" from vitrine.sweep
      where chain_id = $1 and collection = $2 and app_id is not null and ended_at is null`,
    [chainId, collection],
  );
  return row;
}

export interface CollectionRefresh extends CollectionRef {
  readonly createdAt: Date;
  readonly status: CollectionRefreshStatus;
  /** Nothing of it is fetched any more. */
  readonly hasEnded: boolean;
  /** Tokens to read; `isCounted` is false while they are being counted. */
  readonly total: number;
  readonly isCounted: boolean;
}

const STATUS = `case when s.cancelled_at is not null then 'cancelled' when s.ended_at is not null then 'done' else 'running' end`;

/** A refresh of a whole collection, by its receipt; undefined for another kind, and for another app's. */
export async function findCollectionRefresh(
  db: Queryable,
  receiptId: string,
  appId: string,
): Promise<CollectionRefresh | undefined> {
  const [row] = await db.query<
    Omit<CollectionRefresh, "chainId" | "total"> & { chainId: string; total: string }
  >(
    `select p.created_at as "createdAt", s.chain_id as "chainId", s.collection, ${STATUS} as status,
            s.ended_at is not null as "hasEnded", greatest(s.known, s.passed) as total,
            s.counted is not distinct from s.to_token_id as "isCounted"
       from vitrine.sweep s join vitrine.receipt p on p.id = s.receipt_id
      where s.receipt_id = $1 and s.app_id = $2 and p.app_id = $2`,
    [receiptId, appId],
    "find collection refresh",
  );
  return row && { ...row, chainId: Number(row.chainId), total: Number(row.total) };
}

/** How many of a receipt's tokens are being fetched now. */
export async function countFetching(db: Queryable, receiptId: string): Promise<number> {
  const [row] = await db.query<{ tokens: number }>(
    `select count(*)::int as tokens from vitrine.receipt_token t
       join vitrine.refresh r on (r.chain_id, r.collection, r.token_id) = (t.chain_id, t.collection, t.token_id)
      where t.receipt_id = $1 and t.status is null and r.leased_until > now() and t.wanted <= r.started`,
    [receiptId],
    "count fetching",
  );
  return row?.tokens ?? 0;
}

/** Lets no more tokens of the app's sweep be enqueued; false if it has ended, or was cancelled before. */
export async function cancelSweep(tx: Queryable, receiptId: string, appId: string): Promise<boolean> {
  const rows = await tx.query(
    `update vitrine.sweep set cancelled_at = now(), finished_at = coalesce(finished_at, now())
      where receipt_id = $1 and app_id = $2 and ended_at is null and cancelled_at is null returning 1`,
    [receiptId, appId],
  );
  return rows.length > 0;
}

/**
 * Takes the tokens of a cancelled sweep that nobody fetches now out of its receipt, and out of the queue where nobody
 * else requested them. A fetch in progress is recorded. The sweep must be locked.
 */
export async function withdrawQueued(tx: Queryable, receiptId: string): Promise<void> {
  await tx.query(
    `with idle as (
       -- In the order in which requests and workers lock rows.
       select r.chain_id, r.collection, r.token_id, t.receipt_id, t.position,
              r.wanted = t.wanted and r.done = t.wanted - 1 and r.trigger = 'sweep' as is_only_ours
         from vitrine.receipt_token t
         join vitrine.refresh r on (r.chain_id, r.collection, r.token_id) = (t.chain_id, t.collection, t.token_id)
        where t.receipt_id = $1 and t.status is null and (r.lease is null or r.leased_until < now())
        order by r.chain_id, r.collection, r.token_id::text collate "C" for update of r
     ), withdrawn as (
       update vitrine.refresh r
          set started = r.wanted, done = r.wanted, lease = null, leased_until = null, attempts = 0, last_reason = null,
              min_block = 0
         from idle i
        where i.is_only_ours and (r.chain_id, r.collection, r.token_id) = (i.chain_id, i.collection, i.token_id)
     )
     -- By the primary key: with plain conditions, PostgreSQL may read all of the receipt's entries, or all open ones, for each.
     delete from vitrine.receipt_token t using idle i
      where (t.receipt_id, t.position) = (i.receipt_id, i.position) and case when t.status is null then true else false end`,
    [receiptId],
  );
}

export interface EndingSweep extends CollectionRef {
  readonly id: string;
  readonly receiptId: string;
  readonly isCancelled: boolean;
  readonly total: number;
  /** False while tokens of a cancelled one are left to count. */
  readonly isCounted: boolean;
  /** The id of the request that asked for it; null if it was the chain. */
  readonly requestId: string | null;
}

/**
 * Sweeps with a receipt that enqueue no more tokens and have not ended: those that wait for no fetch, and cancelled ones.
 */
export async function readEnding(db: Queryable, limit: number): Promise<EndingSweep[]> {
  const rows = await db.query<Omit<EndingSweep, "chainId" | "total"> & { chainId: string; total: string }>(
    `select id, chain_id as "chainId", collection, receipt_id as "receiptId", cancelled_at is not null as "isCancelled",
            -- One of the chain leaves out what was read since.
            case when by_chain then asked else greatest(known, passed) end as total,
            counted is not distinct from to_token_id as "isCounted",
            (select p.request_id from vitrine.receipt p where p.id = s.receipt_id) as "requestId"
       from vitrine.sweep s where finished_at is not null and ended_at is null and receipt_id is not null
        and (cancelled_at is not null
             or not exists (select from vitrine.receipt_token t where t.receipt_id = s.receipt_id and t.status is null))
      order by id limit $1`,
    [limit],
  );
  return rows.map((row) => ({ ...row, chainId: Number(row.chainId), total: Number(row.total) }));
}

/** Whether any token of the receipt waits for its fetch. */
export async function isAwaited(db: Queryable, receiptId: string): Promise<boolean> {
  const [row] = await db.query<{ isAwaited: boolean }>(
    `select exists (select from vitrine.receipt_token where receipt_id = $1 and status is null) as "isAwaited"`,
    [receiptId],
  );
  return row?.isAwaited ?? false;
}

export type LockedSweep = Pick<EndingSweep, "isCancelled"> &
  Pick<OpenSweep, "id" | "chainId" | "collection" | "from" | "to" | "counted">;

/** Locks a sweep that has not ended, as it is now; undefined if there is none, or another process works on it. */
export async function lockEnding(tx: Queryable, id: string): Promise<LockedSweep | undefined> {
  const [row] = await tx.query<Omit<LockedSweep, "chainId"> & { chainId: string }>(
    `select id, chain_id as "chainId", collection, from_token_id as "from", to_token_id as "to", counted,
            cancelled_at is not null as "isCancelled"
       from vitrine.sweep where id = $1 and ended_at is null for update skip locked`,
    [id],
  );
  return row && { ...row, chainId: Number(row.chainId) };
}

/** Folds a receipt into numbers and returns them by status, with what can't be folded just now. */
export async function sumReceipt(
  tx: Queryable,
  receiptId: string,
): Promise<Readonly<Partial<Record<string, number>>>> {
  await foldReceipt(tx, receiptId);
  const rows = await tx.query<{ status: string; tokens: string }>(
    `select status, sum(tokens) as tokens
       from (select status, tokens from vitrine.receipt_outcome where receipt_id = $1
              union all
             select status, 1 from vitrine.receipt_token where receipt_id = $1 and status is not null) t
      group by status`,
    [receiptId],
  );
  return Object.fromEntries(rows.map(({ status, tokens }) => [status, Number(tokens)]));
}

/** Ends a sweep. Its digest is published in the same transaction. */
export async function endSweep(tx: Queryable, id: string, digest: object): Promise<void> {
  await tx.query("update vitrine.sweep set ended_at = now(), digest = $2 where id = $1", [
    id,
    JSON.stringify(digest),
  ]);
}
