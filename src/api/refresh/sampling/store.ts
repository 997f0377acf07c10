/** The sampling rounds, in PostgreSQL: one row per collection, used by one process at a time. */

import { randomUUID } from "node:crypto";
import { columnsOf } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import { isPaused } from "../../jobs/hosts.ts";
import type { SampledCollection, SamplePosition } from "../../metadata/records/sample-store.ts";

// Reading URIs is aborted before the lease ends.
const LEASE = "interval '2 minutes'";
const DAY = "interval '24 hours'";
/** SQL: a day has passed since, or since what a clock said that has stepped back. */
const isDayOver = (at: string): string =>
  `coalesce(${at} <= now() - ${DAY} or ${at} > now() + interval '1 minute', true)`;

/** A round that this process may start. */
export interface DueRound extends SampledCollection {
  readonly lease: string;
  readonly position: SamplePosition;
  readonly changedInARow: number;
  /** Whether the last sweep for changed URIs started a day ago or longer. */
  readonly isDayOver: boolean;
}

/** A round that waits for documents. */
export interface OpenRound extends SampledCollection {
  /** PostgreSQL's text of a time. */
  readonly askedAt: string;
  readonly block: number;
  readonly tokens: readonly string[];
  readonly further: readonly string[] | null;
  readonly isSweepDue: boolean;
  /** Whether the queue has finished every token. */
  readonly isOver: boolean;
}

/** What a round requests next. */
export interface Asked {
  readonly block: number;
  /** Each token with the mark that its fetch has to reach. */
  readonly marks: ReadonlyMap<string, string>;
  readonly further: readonly string[] | null;
}

const keys = (collections: readonly SampledCollection[]): [number[], string[]] =>
  columnsOf(collections, "chainId", "collection");

/**
 * Those of the collections without a row yet. A row that is due later than `seconds` from now is moved forward to then.
 */
export async function findUnsampled<Collection extends SampledCollection>(
  db: Queryable,
  collections: readonly Collection[],
  seconds: number,
): Promise<readonly Collection[]> {
  await db.query(
    `update vitrine.sampling set next_at = now() + $1::float8 * interval '1 second'
      where next_at > now() + $1::float8 * interval '1 second'`,
    [seconds],
  );
  const rows = await db.query<{ place: number }>(
    `select c.place::int as place
       from unnest($1::bigint[], $2::text[]) with ordinality as c(chain_id, collection, place)
      where not exists (select from vitrine.sampling s
                         where (s.chain_id, s.collection) = (c.chain_id, c.collection))`,
    keys(collections),
  );
  return rows.flatMap(({ place }) => collections[place - 1] ?? []);
}

/** Adds collections, whose first round is due in this many seconds. */
export async function addSampled(
  db: Queryable,
  collections: readonly SampledCollection[],
  seconds: number,
): Promise<void> {
  await db.query(
    `insert into vitrine.sampling (chain_id, collection, next_at)
     select chain_id, collection, now() + $3::float8 * interval '1 second'
       from unnest($1::bigint[], $2::text[]) as c(chain_id, collection)
     on conflict do nothing`,
    [...keys(collections), seconds],
  );
}

/** Claims the round that has been due longest, unless another process has it. */
export async function claimRound(
  db: Queryable,
  collections: readonly SampledCollection[],
): Promise<DueRound | undefined> {
  const [row] = await db.query<Omit<DueRound, "chainId" | "position"> & { chainId: string } & Row>(
    `with due as (
       select s.chain_id, s.collection from vitrine.sampling s
         join unnest($1::bigint[], $2::text[]) as c(chain_id, collection) using (chain_id, collection)
        where s.asked_at is null and s.next_at <= now()
          -- A lease that runs longer than any is of a clock that has stepped back since.
          and (s.lease is null or s.leased_until not between now() and now() + 2 * ${LEASE})
        order by s.next_at limit 1 for update of s skip locked
     )
     update vitrine.sampling s set lease = $3, leased_until = now() + ${LEASE}
       from due d where (s.chain_id, s.collection) = (d.chain_id, d.collection)
     returning s.chain_id as "chainId", s.collection, s.lease, s.cursor, s.laps, s.changed_in_a_row as "changedInARow",
               ${isDayOver("s.swept_for_uris_at")} as "isDayOver"`,
    [...keys(collections), randomUUID()],
  );
  if (!row) return undefined;
  const { cursor, laps, ...round } = row;
  return { ...round, chainId: Number(row.chainId), position: { cursor, laps: Number(laps) } };
}

interface Row {
  readonly cursor: string | null;
  readonly laps: string;
}

/** Locks the round for the transaction; false if another process has taken it over. */
export async function lockRound(tx: Queryable, { chainId, collection, lease }: DueRound): Promise<boolean> {
  const rows = await tx.query(
    "select 1 from vitrine.sampling where chain_id = $1 and collection = $2 and lease = $3 for update",
    [chainId, collection, lease],
  );
  return rows.length > 0;
}

/** Postpones a round that failed, unless another process has taken it over. */
export async function rescheduleRound(
  db: Queryable,
  { chainId, collection, lease }: SampledCollection & { readonly lease?: string },
  seconds: number,
): Promise<void> {
  await db.query(
    `update vitrine.sampling
        set next_at = now() + $3::float8 * interval '1 second', lease = null, leased_until = null, asked_at = null
      where chain_id = $1 and collection = $2 and lease is not distinct from $4::uuid`,
    [chainId, collection, seconds, lease ?? null],
  );
}

/** The result of reading URIs. */
export interface UriFindings {
  readonly position: SamplePosition;
  readonly hasChanged: boolean;
  readonly isSweepStarted: boolean;
}

/** Records the outcome of the URIs. The next round is due in this many seconds. */
export async function noteUris(
  tx: Queryable,
  { chainId, collection }: SampledCollection,
  { position, hasChanged, isSweepStarted }: UriFindings,
  seconds: number,
): Promise<void> {
  await tx.query(
    `update vitrine.sampling
        set next_at = now() + $3::float8 * interval '1 second', lease = null, leased_until = null,
            cursor = $4, laps = $5, changed_in_a_row = case when $6 then changed_in_a_row + 1 else 0 end,
            swept_for_uris_at = case when $7 then now() else swept_for_uris_at end
      where chain_id = $1 and collection = $2`,
    [chainId, collection, seconds, position.cursor, position.laps, hasChanged, isSweepStarted],
  );
}

/** Makes the round wait for documents. */
export async function awaitDocuments(
  tx: Queryable,
  { chainId, collection }: SampledCollection,
  { block, marks, further }: Asked,
): Promise<void> {
  await tx.query(
    `update vitrine.sampling set asked_at = now(), block = $3, tokens = $4, marks = $5, further = $6
      where chain_id = $1 and collection = $2`,
    [chainId, collection, block, [...marks.keys()], [...marks.values()], further],
  );
}

/** The rounds that wait for documents. */
export async function findOpenRounds(
  db: Queryable,
  collections: readonly SampledCollection[],
): Promise<readonly SampledCollection[]> {
  const rows = await db.query<{ chainId: string; collection: string }>(
    `select s.chain_id as "chainId", s.collection from vitrine.sampling s
       join unnest($1::bigint[], $2::text[]) as c(chain_id, collection) using (chain_id, collection)
      where s.asked_at is not null order by s.asked_at`,
    keys(collections),
  );
  return rows.map((row) => ({ ...row, chainId: Number(row.chainId) }));
}

/**
 * Locks a round that waits for documents for the transaction, unless another process works on it. The queue is read after the
 * lock: one statement would see the tokens that another process has just asked for, and the queue before it asked.
 */
export async function lockOpenRound(
  tx: Queryable,
  { chainId, collection }: SampledCollection,
): Promise<OpenRound | undefined> {
  const [locked] = await tx.query(
    `select from vitrine.sampling
      where chain_id = $1 and collection = $2 and asked_at is not null for update skip locked`,
    [chainId, collection],
  );
  if (!locked) return undefined;
  const [row] = await tx.query<Omit<OpenRound, "chainId" | "block"> & { block: string }>(
    `select s.collection, s.asked_at::text as "askedAt", s.block, s.tokens::text[] as tokens,
            s.further::text[] as further,
            ${isDayOver("s.swept_for_documents_at")} as "isSweepDue",
            not exists (
              select from unnest(s.tokens, s.marks) as a(token_id, mark)
                join vitrine.refresh r on (r.chain_id, r.collection, r.token_id) = (s.chain_id, s.collection, a.token_id)
               -- A row with a lower mark is another one: the first was deleted once its token was answered.
               where r.done < a.mark and r.wanted >= a.mark) as "isOver"
       from vitrine.sampling s
      where s.chain_id = $1 and s.collection = $2`,
    [chainId, collection],
  );
  return row && { ...row, chainId, block: Number(row.block) };
}

/** Ends a round that waited for documents; the due time of the next one does not change. */
export async function endRound(
  tx: Queryable,
  { chainId, collection }: SampledCollection,
  isSweepStarted: boolean,
): Promise<void> {
  await tx.query(
    `update vitrine.sampling
        set asked_at = null, tokens = null, marks = null, further = null,
            swept_for_documents_at = case when $3 then now() else swept_for_documents_at end
      where chain_id = $1 and collection = $2`,
    [chainId, collection, isSweepStarted],
  );
}

/** Those of the tokens that can't be requested now: they are queued already, or their host is paused. */
export async function findUnavailable(
  db: Queryable,
  { chainId, collection }: SampledCollection,
  tokenIds: readonly string[],
): Promise<{ readonly queued: ReadonlySet<string>; readonly paused: ReadonlySet<string> }> {
  const rows = await db.query<{ tokenId: string; isQueued: boolean; isPaused: boolean }>(
    `select r.token_id as "tokenId", r.wanted > r.done as "isQueued",
            exists (select from vitrine.host h where h.host = r.host and ${isPaused("h")}) as "isPaused"
       from vitrine.refresh r
      where r.chain_id = $1 and r.collection = $2 and r.token_id = any($3::numeric[])`,
    [chainId, collection, tokenIds],
  );
  const named = (isNamed: (row: (typeof rows)[number]) => boolean) =>
    new Set(rows.filter(isNamed).map(({ tokenId }) => tokenId));
  return { queued: named(({ isQueued }) => isQueued), paused: named(({ isPaused }) => isPaused) };
}
