/** The refresh queue: one row per token, claimed by lease. Enqueues tokens, and says which are queued. */

import { columnsOf } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import { nextStart } from "../../jobs/next-start.ts";
import { retryPolicies } from "../../jobs/retry-policies.ts";
import { mayHaveMoved, nextTokenStart } from "./leases.ts";
import { ANONYMOUS_PRIORITY, priorities, type Trigger } from "./priorities.ts";

export type { Trigger } from "./priorities.ts";

export const REFRESH_CHANNEL = "vitrine_refresh";

// Anonymous callers cause at most one start of a token per 60 s.
const ANONYMOUS_SPACING = "interval '60 seconds'";

// A request joins a fetch that has not started. A fetch that has started answers no later request.
const UNSTARTED = "r.wanted > case when r.leased_until > now() then r.started else r.done end";

// When a request may start its token, whatever waits already.
const OWN_START = `greatest(now(), ${nextTokenStart("r.last_started_at")},
  case when excluded.anonymous then ${nextStart("r.anonymous_started_at", ANONYMOUS_SPACING)} end)`;

// A start that would come later without an anonymous caller is theirs, unless a keyed caller waits for it.
const BROUGHT_FORWARD = `(r.not_before > ${OWN_START} and r.priority <= ${priorities.event})`;

// While a host is paused, the URI of a token is read for sweeps once in this time: each may name a million.
const SWEPT_URI_SPACING = "interval '1 minute'";

// Of a token that is being fetched, the end of that fetch decides: it may be what probes the host.
const MAY_HAVE_MOVED = `${mayHaveMoved("excluded", "r.host")} and (r.lease is null or r.leased_until <= now())
  and (excluded.trigger <> 'sweep' or r.last_started_at is null or r.last_started_at <= now() - ${SWEPT_URI_SPACING})`;

// A document that fails has ended after as many tries, so the node was away. A try under way counts already.
const AWAITS_NODE = `(r.attempts >= ${retryPolicies.documentFetch.attempts} + (r.lease is not null)::int)`;

export interface EnqueueRequest {
  readonly chainId: number;
  readonly collection: string;
  /** Each token with the block of its trigger, or 0 if there is none. */
  readonly tokens: ReadonlyMap<string, number>;
  readonly trigger: Trigger;
  readonly anonymous?: boolean;
  /** Those of the tokens without an indexed transfer, if the caller has no key. */
  readonly unseen?: readonly string[];
  /** Serves the next document even if it is less complete than the one before. */
  readonly accept?: boolean;
  /** False if the fetch has no event that the origin may lag behind. */
  readonly rechecks?: boolean;
}

/**
 * Requests a fetch of each token; never adds a second row. Returns, by token id, the mark that a fetch has to reach to
 * answer this request. A waiting fetch answers it as well; after one that has started, another follows.
 */
export async function enqueue(db: Queryable, request: EnqueueRequest): Promise<ReadonlyMap<string, string>> {
  const marks = await enqueueRows(db, [request]);
  return new Map(marks.map(({ tokenId, mark }) => [tokenId, mark]));
}

/**
 * The same for several requests of distinct tokens, in one transaction: one after another, two such transactions could
 * each wait for a token that the other has enqueued.
 */
export async function enqueueTogether(db: Queryable, requests: readonly EnqueueRequest[]): Promise<void> {
  if (requests.some(({ tokens }) => tokens.size > 0)) await enqueueRows(db, requests);
}

interface QueueMark {
  readonly tokenId: string;
  readonly mark: string;
}

async function enqueueRows(db: Queryable, requests: readonly EnqueueRequest[]): Promise<QueueMark[]> {
  const rows = requests.flatMap(({ chainId, collection, tokens, unseen = [] }, index) => {
    const unseenIds = new Set(unseen);
    return [...tokens].map(([tokenId, block]) => {
      const order = `${String(chainId).padStart(16, "0")} ${collection} ${tokenId}`;
      return { order, tokenId, block, isUnseen: unseenIds.has(tokenId), nth: index + 1 };
    });
  });
  // Always in the same order, so that two batches never deadlock.
  rows.sort((a, b) => (a.order < b.order ? -1 : 1));
  const marks = await db.query<QueueMark>(
    `insert into vitrine.refresh as r
            (chain_id, collection, token_id, wanted, priority, trigger, anonymous, unseen, min_block, accept, looks)
     select ($5::bigint[])[nth], ($6::text[])[nth], id, 1, ($7::smallint[])[nth], ($8::text[])[nth], ($9::boolean[])[nth],
            is_unseen, block, ($10::boolean[])[nth],
            case when ($11::boolean[])[nth] and ($8::text[])[nth] in ('event', 'mint', 'sweep') then 0 end
       from unnest($1::numeric[], $2::bigint[], $3::boolean[], $4::int[]) as t(id, block, is_unseen, nth)
     on conflict (chain_id, collection, token_id) do update set
       wanted = r.wanted + 1,
       priority = case when r.wanted > r.done then greatest(r.priority, excluded.priority) else excluded.priority end,
       trigger = case when r.wanted > r.done and r.priority > excluded.priority then r.trigger else excluded.trigger end,
       anonymous = excluded.anonymous and (r.anonymous or ${BROUGHT_FORWARD} or not ${UNSTARTED}),
       unseen = excluded.unseen and (r.unseen or not ${UNSTARTED}),
       -- A reorg voids the blocks that earlier triggers named.
       min_block = case when excluded.trigger = 'reorg' or (excluded.trigger = 'sweep' and excluded.min_block = 0)
                        then excluded.min_block
                        else greatest(r.min_block, excluded.min_block) end,
       -- Not where one waits already, which others could keep open forever, unless for a node; nor for anonymous callers.
       attempts = case when excluded.priority > ${priorities.event} and not excluded.anonymous
                         and (${AWAITS_NODE} or not (r.wanted > r.done and r.priority > ${priorities.event})) then 0
                       else r.attempts end,
       accept = excluded.accept or (r.accept and r.wanted > r.done),
       looks = coalesce(excluded.looks, r.looks),
       host = case when ${MAY_HAVE_MOVED} then '' else r.host end,
       waiting_since = case when ${UNSTARTED} then least(r.waiting_since, now()) else now() end,
       not_before = least(case when ${UNSTARTED} then r.not_before end, ${OWN_START})
     returning r.token_id as "tokenId", r.wanted as mark`,
    [
      ...columnsOf(rows, "tokenId", "block", "isUnseen", "nth"),
      ...columnsOf(requests, "chainId", "collection"),
      requests.map(({ anonymous, trigger }) => (anonymous ? ANONYMOUS_PRIORITY : priorities[trigger])),
      requests.map(({ trigger }) => trigger),
      requests.map(({ anonymous = false }) => anonymous),
      requests.map(({ accept = false }) => accept),
      requests.map(({ rechecks = true }) => rechecks),
    ],
  );
  await db.query("select pg_notify($1, '')", [REFRESH_CHANNEL]);
  return marks;
}

/** Those of the tokens with a requested fetch. */
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
    "find queued",
  );
  return new Set(rows.map((row) => row.tokenId));
}
