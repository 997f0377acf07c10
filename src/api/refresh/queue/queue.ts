/** The refresh queue: one row per token, claimed by lease (design: "Refresh"). How tokens get in, and how a fetch ends. */

import type { Standard } from "../../../config.ts";
import type { TokenRef } from "../../../domain/token-ref.ts";
import type { Queryable } from "../../db/database.ts";
import { recheckPolicy } from "../../jobs/retry-policies.ts";
import type { KnownDocument } from "../../metadata/uri/resolve.ts";
import { forgetEnded } from "./ended-tokens.ts";
import { ANONYMOUS_PRIORITY, priorities, type Trigger } from "./priorities.ts";

export type { Trigger } from "./priorities.ts";

export const REFRESH_CHANNEL = "vitrine_refresh";

// A token starts at most once per 5 s; anonymous callers cause at most one start per 60 s.
const START_SPACING = "interval '5 seconds'";
const ANONYMOUS_SPACING = "interval '60 seconds'";
export const LEASE = "interval '15 seconds'";

// A request joins what waits to be started. What a live lease has started answers no request that came after.
const UNSTARTED = "r.wanted > case when r.leased_until > now() then r.started else r.done end";

export interface EnqueueRequest {
  readonly chainId: number;
  readonly collection: string;
  /** Each token with the block of its cause, or 0 where there is none. */
  readonly tokens: ReadonlyMap<string, number>;
  readonly trigger: Trigger;
  readonly anonymous?: boolean;
  /** Those of the tokens that no transfer has told of, where the caller has no key. */
  readonly unseen?: readonly string[];
  /** Serves the next document even where it is less complete than the one before. */
  readonly accept?: boolean;
  /** False where no event is behind it that the origin may lag. */
  readonly rechecks?: boolean;
}

/**
 * Asks for a fetch of each token; never adds a second row. Returns, by token id, the mark that a fetch has to reach to
 * answer this request. A fetch that waits answers it as well; after one that has started there is another.
 */
export async function enqueue(db: Queryable, wanted: EnqueueRequest): Promise<ReadonlyMap<string, string>> {
  const { chainId, collection, trigger, anonymous = false, accept = false, rechecks = true } = wanted;
  // In one order everywhere, so that two batches never wait for each other.
  const tokens = [...wanted.tokens].sort(([a], [b]) => (a < b ? -1 : 1));
  const rows = await db.query<{ tokenId: string; mark: string }>(
    `insert into vitrine.refresh as r
            (chain_id, collection, token_id, wanted, priority, trigger, anonymous, unseen, min_block, accept, looks)
     select $1, $2, id, 1, $4, $5, $7, id = any($10::numeric[]), block, $8,
            case when $9 and $5 in ('event', 'mint', 'sweep') then 0 end
       from unnest($3::numeric[], $6::bigint[]) as t(id, block)
     on conflict (chain_id, collection, token_id) do update set
       wanted = r.wanted + 1,
       priority = case when r.wanted > r.done then greatest(r.priority, excluded.priority) else excluded.priority end,
       trigger = case when r.wanted > r.done and r.priority > excluded.priority then r.trigger else excluded.trigger end,
       anonymous = case when ${UNSTARTED} then r.anonymous and excluded.anonymous else excluded.anonymous end,
       unseen = excluded.unseen and (r.unseen or not ${UNSTARTED}),
       -- A reorg voids the blocks that earlier causes named.
       min_block = case when excluded.trigger = 'reorg' or (excluded.trigger = 'sweep' and excluded.min_block = 0)
                        then excluded.min_block
                        else greatest(r.min_block, excluded.min_block) end,
       -- Not for anonymous callers, who could keep others' requests open for ever.
       attempts = case when excluded.priority > ${priorities.event} and not excluded.anonymous then 0 else r.attempts end,
       accept = excluded.accept or (r.accept and r.wanted > r.done),
       looks = coalesce(excluded.looks, r.looks),
       waiting_since = case when ${UNSTARTED} then least(r.waiting_since, now()) else now() end,
       not_before = least(
         case when ${UNSTARTED} then r.not_before end,
         greatest(now(), r.last_started_at + ${START_SPACING},
                  case when excluded.anonymous then r.anonymous_started_at + ${ANONYMOUS_SPACING} end))
     returning r.token_id as "tokenId", r.wanted as mark`,
    [
      chainId,
      collection,
      tokens.map(([tokenId]) => tokenId),
      anonymous ? ANONYMOUS_PRIORITY : priorities[trigger],
      trigger,
      tokens.map(([, block]) => block),
      anonymous,
      accept,
      rechecks,
      wanted.unseen ?? [],
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
  readonly priority: number;
  readonly minBlock: number;
  readonly attempts: number;
  readonly accept: boolean;
  /** Where its document came from the last time; empty before the first. */
  readonly host: string;
  /** Only callers without a key ask for it, and it was never read well: what its host does to it says nothing of the host. */
  readonly isStrange: boolean;
  readonly standard: Standard | undefined;
  /** Of a token that the index knows to be burned: nothing of it is read. */
  readonly burnedBlock: number | undefined;
  /** For a sample: what is served, where its host named it by a strong ETag. */
  readonly known?: KnownDocument | undefined;
}

// SQL on row `r`: a try that goes on is still theirs who caused it.
export const STILL_ANONYMOUS =
  "(r.anonymous or (r.wanted = r.started and coalesce(r.anonymous_started_at = r.last_started_at, false)))";

const current = "chain_id = $1 and collection = $2 and token_id = $3 and lease = $4";
const holder = (lease: Lease): unknown[] => [lease.chainId, lease.collection, lease.tokenId, lease.id];

// In the order in which `enqueue` locks rows: otherwise the two deadlock, and a caller's request fails.
const lockRows = (more: string): string => `
  select r.chain_id, r.collection, r.token_id${more} from vitrine.refresh r
    join unnest($1::bigint[], $2::text[], $3::numeric[], $4::uuid[]) as l(chain_id, collection, token_id, lease)
         using (chain_id, collection, token_id, lease)
   order by chain_id, collection, token_id::text collate "C" for update of r`;
const lockInOrder = lockRows("");
const holders = (leases: readonly Lease[]): unknown[] => [
  leases.map((lease) => lease.chainId),
  leases.map((lease) => lease.collection),
  leases.map((lease) => lease.tokenId),
  leases.map((lease) => lease.id),
];

/** Extends leases that are still held. */
export async function renew(db: Queryable, leases: readonly Lease[]): Promise<void> {
  await db.query(
    `with held as (${lockInOrder})
     update vitrine.refresh r set leased_until = now() + ${LEASE}
       from held h where (r.chain_id, r.collection, r.token_id) = (h.chain_id, h.collection, h.token_id)`,
    holders(leases),
  );
}

/** What `lockLeases` finds. */
export interface LockedLeases<Each extends Lease> {
  /** The leases that are still held. */
  readonly current: readonly Each[];
  /** Those of them that receipts wait for. */
  readonly awaited: ReadonlySet<Each>;
  /** Whether any host has failed of late. */
  readonly hasHostFaults: boolean;
}

/** Locks the tokens' rows for the transaction. A receipt that comes later waits for a later fetch. */
export async function lockLeases<Each extends Lease>(
  db: Queryable,
  leases: readonly Each[],
): Promise<LockedLeases<Each>> {
  const rows = await db.query<Row & { awaited: boolean; hasHostFaults: boolean }>(
    lockRows(`,
         exists (select from vitrine.receipt_token t
                  where (t.chain_id, t.collection, t.token_id) = (r.chain_id, r.collection, r.token_id)
                    and t.status is null) as awaited,
         exists (select from vitrine.host) as "hasHostFaults"`),
    holders(leases),
    "hold",
  );
  return {
    current: currentOf(leases, rows),
    awaited: new Set(
      currentOf(
        leases,
        rows.filter(({ awaited }) => awaited),
      ),
    ),
    hasHostFaults: rows.some(({ hasHostFaults }) => hasHostFaults),
  };
}

/** What a fetch came to, as far as the queue is concerned. */
export interface FetchEnding {
  readonly status: "updated" | "unchanged" | "failed" | "not_found";
  /** Where the document came from. */
  readonly host?: string | undefined;
}

/**
 * Ends fetches. Returns the leases that were held; of the others nothing may be kept. Where an event is owed a recheck and
 * nothing else waits, it is scheduled; news cancel it, and any fetch in between counts as one. Of several leases, the rows
 * must have been locked by `lockLeases`, in the one order.
 */
export async function complete<Each extends Lease>(
  db: Queryable,
  leases: readonly Each[],
  endingOf: (lease: Each) => FetchEnding = () => ({ status: "updated" }),
): Promise<Each[]> {
  const endings = leases.map(endingOf);
  const { pausesMs, attempts } = recheckPolicy;
  const waits = pausesMs
    .map((ms, rechecks) => `when ${rechecks} then interval '${ms} milliseconds'`)
    .join(" ");
  const rechecksMax = `case k.status when 'unchanged' then ${attempts.unchanged} when 'failed' then ${attempts.failed} else 0 end`;
  const isOwed = `(r.wanted = r.started and r.looks < ${rechecksMax})`;
  const nextRecheckAt = `now() + case r.looks ${waits} end`;
  const rows = await db.query<Row>(
    `update vitrine.refresh r
        set done = started, lease = null, leased_until = null, attempts = 0, last_reason = null,
            host = coalesce(k.host, r.host),
            -- The causes that named a block are answered; a reorg may have taken the block away since.
            min_block = case when wanted > started then min_block else 0 end,
            accept = accept and wanted > started,
            looks = case when wanted > started then looks when ${isOwed} then looks + 1 end,
            wanted = case when ${isOwed} then wanted + 1 else wanted end,
            trigger = case when ${isOwed} then 'recheck' else trigger end,
            priority = case when ${isOwed} then ${priorities.recheck} else priority end,
            not_before = case when ${isOwed} then ${nextRecheckAt}
                              else greatest(not_before, last_started_at + ${START_SPACING}) end,
            waiting_since = case when wanted > started then waiting_since when ${isOwed} then ${nextRecheckAt} else now() end
       from unnest($1::bigint[], $2::text[], $3::numeric[], $4::uuid[], $5::text[], $6::text[])
         as k(chain_id, collection, token_id, lease, status, host)
      where (r.chain_id, r.collection, r.token_id, r.lease) = (k.chain_id, k.collection, k.token_id, k.lease)
     returning r.chain_id, r.collection, r.token_id`,
    [...holders(leases), endings.map(({ status }) => status), endings.map(({ host }) => host ?? null)],
    "finish",
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
  const current = new Set(rows.map((row) => `${row.chain_id}:${row.collection}:${row.token_id}`));
  return leases.filter(({ chainId, collection, tokenId }) =>
    current.has(`${chainId}:${collection}:${tokenId}`),
  );
}

/**
 * Schedules another attempt; false if the lease was lost. The first failure of what no caller asked for waits for no other
 * spacing than `delayMs`: a sweep would wait for its few failures at the end. A caller could ask for more such firsts.
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
            not_before = greatest(now() + $5 * interval '1 millisecond', case when $7 then last_started_at + ${START_SPACING} end)
      where ${current} returning 1`,
    [...holder(lease), delayMs, reason, isSpaced],
  );
  return rows.length > 0;
}

/** Releases leases untried, so that the next process need not wait for them to run out. */
export async function release(db: Queryable, leases: readonly Lease[]): Promise<void> {
  await db.query(
    `with held as (${lockInOrder})
     update vitrine.refresh r
        set lease = null, leased_until = null, attempts = greatest(attempts - 1, 0), anonymous = ${STILL_ANONYMOUS},
            not_before = last_started_at + ${START_SPACING}
       from held h where (r.chain_id, r.collection, r.token_id) = (h.chain_id, h.collection, h.token_id)`,
    holders(leases),
  );
}

/** Those of the tokens for which a fetch is wanted. */
export async function findQueued(
  db: Queryable,
  chainId: number,
  collection: string,
  tokenIds: readonly string[],
): Promise<ReadonlySet<string>> {
  const rows = await db.query<{ tokenId: string }>(
    `select token_id as "tokenId" from vitrine.refresh
      where chain_id = $1 and collection = $2 and token_id = any($3::numeric[]) and wanted > done`,
    [chainId, collection, tokenIds],
  );
  return new Set(rows.map((row) => row.tokenId));
}

export interface QueueDepth {
  readonly waiting: number;
  readonly oldestSeconds: number;
}

/** Rechecks count from the moment they are due. */
export async function depth(db: Queryable): Promise<QueueDepth> {
  const [row] = await db.query<QueueDepth>(
    `select count(*)::int as waiting,
            coalesce(extract(epoch from now() - min(waiting_since)), 0)::float8 as "oldestSeconds"
       from vitrine.refresh where wanted > done and waiting_since <= now()`,
  );
  return row ?? { waiting: 0, oldestSeconds: 0 };
}
