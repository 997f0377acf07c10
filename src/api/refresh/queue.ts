/** The refresh queue: one row per token, claimed by lease (design: "Refresh rules"). All of its SQL is here. */

import { randomUUID } from "node:crypto";
import type { Standard } from "../../config.ts";
import type { TokenRef } from "../../domain/token-ref.ts";
import type { ChainTables } from "../chain/tables.ts";
import type { Queryable } from "../store/database.ts";

export type Trigger = "rest" | "graphql" | "operator" | "mint" | "event" | "reorg" | "sweep";

/** Explicit requests outrank events, events outrank sweeps. */
const priorities: Record<Trigger, number> = {
  operator: 30,
  rest: 30,
  graphql: 30,
  event: 20,
  reorg: 20,
  mint: 20,
  sweep: 10,
};

export const REFRESH_CHANNEL = "vitrine_refresh";

// A token starts at most once per 5 s; anonymous callers cause at most one start per 60 s.
const START_SPACING = "interval '5 seconds'";
const ANONYMOUS_SPACING = "interval '60 seconds'";
const LEASE = "interval '15 seconds'";

// A request joins what waits to be started. What a live lease has started answers no request that came after.
const UNSTARTED = "r.wanted > case when r.leased_until > now() then r.started else r.done end";

export interface Wanted {
  readonly chainId: number;
  readonly collection: string;
  /** Each token with the block of its cause, or 0 where there is none. */
  readonly tokens: ReadonlyMap<string, number>;
  readonly trigger: Trigger;
  readonly anonymous?: boolean;
}

/**
 * Raises what is wanted of each token; never adds a second row. Returns, by token id, the mark that a fetch has to
 * reach to answer this request. A waiting fetch takes the request along; one that has started runs once more.
 */
export async function want(db: Queryable, wanted: Wanted): Promise<ReadonlyMap<string, string>> {
  const { chainId, collection, trigger, anonymous = false } = wanted;
  // In one order everywhere, so that two batches never wait for each other.
  const tokens = [...wanted.tokens].sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = await db.query<{ tokenId: string; mark: string }>(
    `insert into vitrine.refresh as r (chain_id, collection, token_id, wanted, priority, trigger, anonymous, min_block)
     select $1, $2, id, 1, $4, $5, $7, block from unnest($3::numeric[], $6::bigint[]) as t(id, block)
     on conflict (chain_id, collection, token_id) do update set
       wanted = r.wanted + 1,
       priority = case when r.wanted > r.done then greatest(r.priority, excluded.priority) else excluded.priority end,
       trigger = case when r.wanted > r.done and r.priority > excluded.priority then r.trigger else excluded.trigger end,
       anonymous = case when ${UNSTARTED} then r.anonymous and excluded.anonymous else excluded.anonymous end,
       -- A reorg voids the blocks that earlier causes named.
       min_block = case when excluded.trigger = 'reorg' or (excluded.trigger = 'sweep' and excluded.min_block = 0)
                        then excluded.min_block
                        else greatest(r.min_block, excluded.min_block) end,
       attempts = case when excluded.priority > ${priorities.event} then 0 else r.attempts end,
       waiting_since = case when ${UNSTARTED} then r.waiting_since else now() end,
       not_before = least(
         case when ${UNSTARTED} then r.not_before end,
         greatest(now(), r.last_started_at + ${START_SPACING},
                  case when excluded.anonymous then r.anonymous_started_at + ${ANONYMOUS_SPACING} end))
     returning r.token_id as "tokenId", r.wanted as mark`,
    [
      chainId,
      collection,
      tokens.map(([tokenId]) => tokenId),
      priorities[trigger],
      trigger,
      tokens.map(([, block]) => block),
      anonymous,
    ],
  );
  await db.query("select pg_notify($1, '')", [REFRESH_CHANNEL]);
  return new Map(rows.map(({ tokenId, mark }) => [tokenId, mark]));
}

/** A token that this process may fetch, for as long as it holds the lease. */
export interface Lease extends TokenRef {
  readonly id: string;
  readonly started: string;
  readonly trigger: Trigger;
  readonly minBlock: number;
  readonly attempts: number;
  readonly standard: Standard | undefined;
}

/** Takes up to `count` due tokens, the most wanted first; none that another process holds. */
export async function claim(db: Queryable, tables: ChainTables, count: number): Promise<Lease[]> {
  const rows = await db.query<
    Omit<Lease, "standard" | "chainId" | "minBlock"> & {
      chainId: string;
      minBlock: string;
      standard: Standard | null;
    }
  >(
    `with due as (
       select chain_id, collection, token_id from vitrine.refresh
        where wanted > done
          -- A lease that ran out is owed another start, whatever later requests have to wait for.
          and case when leased_until is null then not_before <= now() else leased_until < now() end
        order by priority desc, not_before limit $1 for update skip locked
     ), claimed as (
       update vitrine.refresh r
          set lease = $2, leased_until = now() + ${LEASE}, started = wanted, attempts = attempts + 1,
              last_started_at = now(),
              anonymous_started_at = case when r.anonymous then now() else r.anonymous_started_at end,
              anonymous = false
         from due d where (r.chain_id, r.collection, r.token_id) = (d.chain_id, d.collection, d.token_id)
       returning r.*
     )
     select c.lease as id, c.chain_id as "chainId", c.collection, c.token_id as "tokenId", c.started, c.trigger,
            c.min_block as "minBlock", c.attempts, s.standard
       from claimed c left join ${tables.tokenState} s
         on (s.chain_id, s.collection_address, s.token_id) = (c.chain_id, c.collection, c.token_id)`,
    [count, randomUUID()],
  );
  return rows.map((row) => ({
    ...row,
    chainId: Number(row.chainId),
    minBlock: Number(row.minBlock),
    standard: row.standard ?? undefined,
  }));
}

const held = "chain_id = $1 and collection = $2 and token_id = $3 and lease = $4";
const holder = (lease: Lease): unknown[] => [lease.chainId, lease.collection, lease.tokenId, lease.id];

// Locked in the order in which `want` locks them: otherwise the two deadlock, and a caller's request fails.
const heldInOrder = `
  select r.chain_id, r.collection, r.token_id from vitrine.refresh r
    join unnest($1::bigint[], $2::text[], $3::numeric[], $4::uuid[]) as l(chain_id, collection, token_id, lease)
         using (chain_id, collection, token_id, lease)
   order by chain_id, collection, token_id::text collate "C" for update of r`;
const holders = (leases: readonly Lease[]): unknown[] => [
  leases.map((lease) => lease.chainId),
  leases.map((lease) => lease.collection),
  leases.map((lease) => lease.tokenId),
  leases.map((lease) => lease.id),
];

/** Extends leases that are still held. */
export async function renew(db: Queryable, leases: readonly Lease[]): Promise<void> {
  await db.query(
    `with held as (${heldInOrder})
     update vitrine.refresh r set leased_until = now() + ${LEASE}
       from held h where (r.chain_id, r.collection, r.token_id) = (h.chain_id, h.collection, h.token_id)`,
    holders(leases),
  );
}

/** Ends the fetch; false when the lease was lost, and then nothing of it may be kept. */
export async function finish(db: Queryable, lease: Lease): Promise<boolean> {
  const rows = await db.query(
    `update vitrine.refresh
        set done = started, lease = null, leased_until = null, attempts = 0, last_reason = null,
            waiting_since = case when wanted > started then waiting_since else now() end,
            -- The causes that named a block are answered; a reorg may have taken the block away since.
            min_block = case when wanted > started then min_block else 0 end,
            not_before = greatest(not_before, last_started_at + ${START_SPACING})
      where ${held} returning 1`,
    holder(lease),
  );
  return rows.length > 0;
}

/** Puts the token back for another try; false when the lease was lost. */
export async function postpone(
  db: Queryable,
  lease: Lease,
  delayMs: number,
  reason: string,
): Promise<boolean> {
  const rows = await db.query(
    `update vitrine.refresh
        set lease = null, leased_until = null, last_reason = $6,
            not_before = greatest(now() + $5 * interval '1 millisecond', last_started_at + ${START_SPACING})
      where ${held} returning 1`,
    [...holder(lease), delayMs, reason],
  );
  return rows.length > 0;
}

/** Gives leases back untried, so that the next process need not wait for them to run out. */
export async function release(db: Queryable, leases: readonly Lease[]): Promise<void> {
  await db.query(
    `with held as (${heldInOrder})
     update vitrine.refresh r
        set lease = null, leased_until = null, attempts = greatest(attempts - 1, 0),
            not_before = last_started_at + ${START_SPACING}
       from held h where (r.chain_id, r.collection, r.token_id) = (h.chain_id, h.collection, h.token_id)`,
    holders(leases),
  );
}

/** Milliseconds until the next token is due: 0 when one is due now, undefined when nothing waits. */
export async function nextDueMs(db: Queryable): Promise<number | undefined> {
  const [row] = await db.query<{ ms: number | null }>(
    `select (extract(epoch from min(coalesce(leased_until, not_before)) - now()) * 1000)::float8 as ms
       from vitrine.refresh where wanted > done`,
  );
  // Not by SQL's greatest(), which would make 0 of a queue where nothing waits: the worker would never rest.
  return row?.ms == null ? undefined : Math.max(0, row.ms);
}

/** True while a fetch of the token is wanted. */
export async function isQueued(db: Queryable, token: TokenRef): Promise<boolean> {
  const rows = await db.query(
    "select 1 from vitrine.refresh where chain_id = $1 and collection = $2 and token_id = $3 and wanted > done",
    [token.chainId, token.collection, token.tokenId],
  );
  return rows.length > 0;
}

export interface QueueDepth {
  readonly waiting: number;
  readonly oldestSeconds: number;
}

export async function depth(db: Queryable): Promise<QueueDepth> {
  const [row] = await db.query<QueueDepth>(
    `select count(*)::int as waiting,
            coalesce(extract(epoch from now() - min(waiting_since)), 0)::float8 as "oldestSeconds"
       from vitrine.refresh where wanted > done`,
  );
  return row ?? { waiting: 0, oldestSeconds: 0 };
}
