/** The trackers that still hold a lock, for monitoring (spec.md "Events"); never part of a trade decision. */

import { lockStandards } from "../../domain/lock-standards.ts";
import { holdingStandards, keepsBoolean, ownLockSince } from "../chain/index/lock-sql.ts";
import type { ChainTables } from "../chain/index/tables.ts";
import { inChainOrder } from "../chain/index/transfer-kind.ts";
import type { Queryable } from "../db/database.ts";

/** The most trackers that are named of a token. */
const LOCK_HOLDERS_MAX = 100;

/**
 * How many events of a token are read, newest first. A game that locks and unlocks a token daily takes over a year for as
 * many, and a contract can emit any number.
 */
const LOCK_EVENTS_MAX = 1_000;

/** SQL for a lateral join: the newest lock events of token `s`, by the database index on its tokens, in any order. */
export const newestLockEvents = ({ lockEvent }: ChainTables, s: string): string => {
  const newestFirst = `order by ${inChainOrder("id")} desc limit ${LOCK_EVENTS_MAX}`;
  const [locks, unlocks] = ["lock", "unlock"].map(
    (direction) => `
      (select * from ${lockEvent} own
        where own.chain_id = ${s}.chain_id and own.collection_address = ${s}.collection_address
          and own.token_id = ${s}.token_id and own.direction = '${direction}' ${newestFirst})`,
  );
  return `(select * from (${locks} union all ${unlocks}) either ${newestFirst})`;
};

/**
 * By token id, of the standards that lock it now, in the order of each one's oldest lock: for counted locks, trackers with
 * more locks than unlocks since the token was last unlocked; for switches, the tracker of the last event.
 */
export async function readLockHolders(
  db: Queryable,
  tables: ChainTables,
  chainId: number,
  collection: string,
  tokenIds: readonly string[],
): Promise<ReadonlyMap<string, readonly string[]>> {
  const isBoolean = keepsBoolean(tables, chainId, collection);
  const counted = lockStandards.flatMap(({ name, keeps }) => (keeps === "count" && !isBoolean ? name : []));
  const rows = await db.query<{ tokenId: string; trackers: string[] | null }>(
    // Token by token: sorts of all events together would go through PostgreSQL's disk. A balance never falls below zero:
    // an unlock without a lock before it pays for no later lock.
    `select s.token_id as "tokenId", held.trackers
       from ${tables.tokenState} s
      cross join lateral (select ${holdingStandards(tables, "s")} as standards offset 0) now
      cross join lateral (
        with event as materialized (
          select l.standard, l.approved_contract as tracker, row_number() over (order by ${inChainOrder("l.id")}) as nth,
                 case l.direction when 'lock' then 1 else -1 end as step
            from ${newestLockEvents(tables, "s")} l
           -- An unlock may name another tracker than the lock that it ends, which then looks like one that is left.
           where l.block_number >= ${ownLockSince(tables, "s")} and l.standard = any(now.standards)),
        running as (
          select *, sum(step) over (partition by standard, tracker order by nth) as balance
            from event where standard = any($4) and tracker is not null),
        holding as (
          select tracker, (array_agg(nth order by nth desc) filter (where step = 1))[
                   sum(step) - least(min(balance), 0)] as since
            from running group by standard, tracker
          union all
          select tracker, nth
            from (select distinct on (standard) * from event where standard <> all($4) order by standard, nth desc) last
           where step = 1 and tracker is not null),
        named as (
          select tracker, min(since) as since from holding where since is not null group by tracker
           order by since limit ${LOCK_HOLDERS_MAX})
        select array_agg(tracker order by since) as trackers from named) held
      where s.chain_id = $1 and s.collection_address = $2 and s.token_id = any($3::numeric[])`,
    [chainId, collection, tokenIds, counted],
  );
  return new Map(rows.map(({ tokenId, trackers }) => [tokenId, trackers ?? []]));
}
