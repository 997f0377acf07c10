/** What the writer of the stream reads and writes, always in the transaction that has locked the source. */

import { SETTLED } from "../chain/index/checkpoint.ts";
import { caughtUp, headMark, isWhole, ready } from "../chain/index/index-trust.ts";
import { isSurplus, lockCountAfter } from "../chain/index/lock-sql.ts";
import type { ChainTables } from "../chain/index/tables.ts";
import type { Queryable } from "../db/database.ts";
import { isSame, typeOfLock } from "./reverted.ts";

/** Notified when something was appended, or waits to be. */
export const EVENT_CHANNEL = "vitrine_event";

/**
 * Reserves `count` ids. Its row lock makes transactions commit in the order of ids. Returns the id before the first.
 */
async function takeIds(db: Queryable, count: number): Promise<string> {
  const [row] = await db.query<{ before: string }>(
    "update vitrine.event_counter set last = last + $1 returning last - $1 as before",
    [count],
  );
  if (!row) throw new Error("the event counter has no row");
  await db.query(`select pg_notify('${EVENT_CHANNEL}', '')`);
  return row.before;
}

export interface Feed {
  readonly schema: string;
  /** Everything up to here is published and can't change any more. */
  readonly handled: string;
  /** Its index publishes nothing more: no process has used it recently, or it is far behind ours. */
  readonly isOver: boolean;
}

const OVER_AFTER = "interval '10 seconds'";
const BEHIND_SECONDS = 60;

/** Which index publishes the events of the chain; undefined before any has. */
export async function readFeed(
  db: Queryable,
  tables: ChainTables,
  chainId: number,
): Promise<Feed | undefined> {
  const [row] = await db.query<Feed>(
    `select f.schema, f.handled,
            f.seen_at < now() - ${OVER_AFTER} or coalesce(
              left(c.latest_checkpoint, 10)::bigint - left(${headMark("f.schema", "f.chain_id")}, 10)::bigint > ${BEHIND_SECONDS}, false) as "isOver"
       from vitrine.event_feed f
       left join ${tables.checkpoint} c on c.chain_id = f.chain_id
      where f.chain_id = $1`,
    [chainId],
  );
  return row;
}

/** SQL: the chain's checkpoint, if the index can be trusted. A reorg of another chain may have undone rows of this one. */
const head = (tables: ChainTables): string => `
  select c.latest_checkpoint as latest, ${SETTLED} as settled
    from ${tables.checkpoint} c
   where c.chain_id = $1 and ${ready(tables)} and ${isWhole(tables)} and ${caughtUp("$2")}`;

/** The first index of a chain starts with rows that may still change: history is not news. */
export async function startFeed(db: Queryable, tables: ChainTables, chainId: number): Promise<void> {
  await db.query(
    `insert into vitrine.event_feed (chain_id, schema, handled)
     select $1, $2, settled from (${head(tables)}) h on conflict do nothing`,
    [chainId, tables.schema],
  );
}

export interface Difference {
  readonly latest: string;
  readonly settled: string;
  /** Ids of events whose row is gone, or which another one now comes before. */
  readonly gone: readonly string[];
  /** Rows that were not published, or are again after another one, as JSON for `appendLocks`, in chain order. */
  readonly fresh: readonly { readonly source: string }[];
  /** The last row that was read, if there may be more of them; null if these are all. */
  readonly last: string | null;
}

/**
 * The published events against the rows of the index above `handled`, in one statement; undefined while the index can't
 * be trusted, as after a restart, when it lacks rows for a while. Tokens of collections that are no longer indexed are
 * not affected.
 *
 * A full join reads each row and each open event once: looked up one by one, a burst on a chain whose blocks settle late
 * takes most of PostgreSQL's time.
 */
export async function readDifference(
  db: Queryable,
  tables: ChainTables,
  query: {
    readonly chainId: number;
    readonly handled: string;
    readonly collections: readonly string[];
    readonly limit: number;
  },
): Promise<Difference | undefined> {
  const { chainId, handled, collections, limit } = query;
  const [row] = await db.query<Difference>(
    `with head as materialized (${head(tables)}),
     differing as (
       select e.id as event_id, e.collection as event_collection, l.*
         from (select * from vitrine.event where chain_id = $1 and open and source > $3) e
         full join (select * from ${tables.lockEvent} where chain_id = $1 and id > $3) l on l.id = e.source
        where (${isSame}) is not true),
     added as materialized (
       select distinct on (id) l.* from differing l
        where id is not null
          -- Another event of the same source may be of a collection that is no longer indexed.
          and (event_id is null or not exists (
            select from (
              -- By event_open, which alone is sorted by source: by any other index, a plan from before there are
              -- statistics may read all open events for each.
              select * from vitrine.event where chain_id = $1 and open and source between l.id and l.id
               order by source offset 0) e
             where ${isSame}))
        order by id limit $5),
     -- A reorg may add an event before one that keeps its place. What was published is then no longer the last state.
     displaced as materialized (
       select e.id as event_id, e.collection as event_collection, l.*
         from (select * from vitrine.event
                where chain_id = $1 and open and source > (select min(id) from added) order by source offset 0) e
         join (select collection_address, token_id, min(id) as id from added group by collection_address, token_id) first
           on first.collection_address = e.collection and coalesce(first.token_id, -1) = coalesce(e.token_id, -1)
              and first.id < e.source
        cross join lateral (select * from ${tables.lockEvent} own where own.id = e.source offset 0) l
        where ${isSame}),
     gone as (
       select event_id::text as id from differing where event_id is not null and event_collection = any($4)
       union all select event_id::text from displaced),
     fresh as (
       select l.id as source, l.collection_address as collection, l.token_id::text as token_id, l.standard,
              ${typeOfLock} as type, l.transaction_hash, l.approved_contract, l.count_after,
              ${lockCountAfter(tables, "l")} as lock_count, ${isSurplus(tables, "l")} as anomaly
         from (select * from added union all select * from displaced) l)
     select latest, settled, (select coalesce(json_agg(g.id), '[]') from gone g) as gone,
            (select coalesce(json_agg(f order by f.source), '[]') from fresh f) as fresh,
            (select case when count(*) = $5 then max(id) end from added) as last
       from head`,
    [chainId, tables.schema, handled, collections, limit],
  );
  return row;
}

/** Reverts events, newest first, and records under which head. */
export async function appendReverted(db: Queryable, ids: readonly string[], latest: string): Promise<void> {
  if (ids.length === 0) return;
  await db.query(
    `insert into vitrine.event (id, type, subject, reverts, chain_id, collection, token_id)
     select $1::bigint + row_number() over (order by source desc), 'reverted', type, id, chain_id, collection, token_id
       from vitrine.event where id = any($2::bigint[])`,
    [await takeIds(db, ids.length), ids],
  );
  await db.query("update vitrine.event set open = false, gone_at = $2 where id = any($1::bigint[])", [
    ids,
    latest,
  ]);
}

/** Appends rows of a difference. Those above `settled` may still be reverted. */
export async function appendLocks(
  db: Queryable,
  chainId: number,
  fresh: Difference["fresh"],
  settled: string,
): Promise<void> {
  if (fresh.length === 0) return;
  await db.query(
    `insert into vitrine.event (id, type, subject, chain_id, collection, token_id, source, transaction_hash,
                                standard, approved_contract, count_after, lock_count, anomaly, open)
     select $1::bigint + row_number() over (order by source), type, type, $2, collection, token_id, source,
            transaction_hash, standard, approved_contract, count_after, lock_count, anomaly, source > $4
       from json_to_recordset($3) as f(source text, collection text, token_id numeric, standard text, type text,
              transaction_hash text, approved_contract text, count_after int, lock_count int, anomaly boolean)`,
    [await takeIds(db, fresh.length), chainId, JSON.stringify(fresh), settled],
  );
}

/** Records how far the chain is published, and by which index; closes what can't change any more. */
export async function noteProgress(
  db: Queryable,
  tables: ChainTables,
  progress: { readonly chainId: number; readonly handled: string; readonly latest: string },
): Promise<void> {
  const { chainId, handled, latest } = progress;
  await db.query(
    `update vitrine.event_feed set schema = $2, handled = greatest(handled, $3), seen_at = now()
      where chain_id = $1 and (handled < $3 or schema <> $2 or seen_at < now() - interval '2 seconds')`,
    [chainId, tables.schema, handled],
  );
  await db.query(
    `update vitrine.event set open = open and source > $2, gone_at = case when gone_at < $3 then null else gone_at end
      where chain_id = $1 and ((open and source <= $2) or gone_at < $3)`,
    [chainId, handled, latest],
  );
}

/** Moves up to `limit` waiting events into the stream; returns how many. */
export async function appendDue(db: Queryable, limit: number): Promise<number> {
  const due = await db.query<{ id: string }>("select id from vitrine.event_due order by id limit $1", [
    limit,
  ]);
  if (due.length === 0) return 0;
  await db.query(
    `with due as (delete from vitrine.event_due where id = any($2::bigint[]) returning *)
     insert into vitrine.event (id, type, subject, chain_id, collection, token_id, version, content_hash, payload)
     select $1::bigint + row_number() over (order by id), type, type, chain_id, collection, token_id, version, content_hash,
            payload
       from due`,
    [await takeIds(db, due.length), due.map(({ id }) => id)],
  );
  return due.length;
}
