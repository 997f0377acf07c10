/** Leases deliveries, and records how their attempts ended. A later event of a token waits for every earlier one. */

import { columnsOf } from "../db/columns.ts";
import type { Queryable } from "../db/database.ts";
import { createPageSize } from "../jobs/page-size.ts";
import { firstPending, stillPending } from "./pending.ts";

/** Notified when a delivery may be due. */
export const WEBHOOK_CHANNEL = "vitrine_webhook";

export const notifyWorkers = async (tx: Queryable): Promise<void> => {
  await tx.query(`select pg_notify('${WEBHOOK_CHANNEL}', '')`);
};

export interface DeliveryLease {
  readonly id: string;
  readonly claim: string;
  readonly webhookId: string;
  readonly messageId: string;
  readonly kind: "event" | "test" | "resend";
  readonly subject: string;
  readonly eventId: string | null;
  readonly body: string;
  /** With PostgreSQL's microseconds: it is another if somebody asks for the delivery during the attempt. */
  readonly dueAt: string;
  /** Attempts that ended before this one. */
  readonly attempts: number;
  readonly url: string;
  /** How often the pending events of its webhook had started over. */
  readonly restarts: number;
  readonly secret: Buffer;
  /** Null unless it still signs. */
  readonly oldSecret: Buffer | null;
}

/** Deliveries at once, over all processes. */
export interface DeliveryCaps {
  /** To one webhook: a slow receiver has these and no more. */
  readonly perWebhook: number;
  /** To one webhook whose last attempt failed, so that many that stall leave room for the others. */
  readonly perFailing: number;
  /** To one host and port. */
  readonly perHost: number;
}

// A fraction of what a statement may take.
const RESTART_BATCH = 5_000;
/** How many due events of a webhook a claim reads at most. */
export const CLAIM_SCAN = 1_000;

const FREE = "(d.claim is null or d.claimed_until <= now())";
const DUE = `d.webhook_id = o.id and d.status = 'pending' and d.due_at <= now() and ${FREE}`;
const NEXT = "order by due_at, id limit greatest(0, o.cap - o.running)";

// Parameters: how many leases, their claim, their seconds, the caps of a webhook, of a failing one, and of a host. The
// claims of the webhook with the fewest come first, so that one with many due deliveries holds up no other.
const CLAIM = `
  with busy as (
    select d.webhook_id, count(*)::int as running from vitrine.webhook_delivery d
     where d.claim is not null and d.claimed_until > now() group by d.webhook_id),
  open as (
    select w.id, w.host, w.status = 'active' as is_active, coalesce(b.running, 0) as running,
           case when w.failing_since is null then $4::int else $5::int end as cap,
           sum(coalesce(b.running, 0)) over (partition by w.host) as host_running
      from vitrine.webhook w
      join vitrine.app a on a.id = w.app_id and 'market-partner' = any(a.apis)
      left join busy b on b.webhook_id = w.id),
  due as (
    select f.id, o.host, o.host_running, o.running + row_number() over (partition by o.id order by f.due_at, f.id) as nth
      from open o cross join lateral (
        -- Each by itself: a paused webhook may have a million events, of which none is read.
        (select c.id, c.due_at
           from (select d.id, d.due_at, d.subject, d.event_id from vitrine.webhook_delivery d
                  where o.is_active and d.kind = 'event' and ${DUE} order by d.due_at, d.id limit ${CLAIM_SCAN}) c
          where c.id = (select e.id from (${firstPending("o.id", "c.subject")}) e)
          ${NEXT})
        union all
        (select d.id, d.due_at from vitrine.webhook_delivery d where d.kind <> 'event' and ${DUE} ${NEXT})
        ${NEXT}) f),
  chosen as (
    select id from (
      select id, nth, host_running + row_number() over (partition by host order by nth, id) as host_nth from due) ranked
     where host_nth <= $6::int order by nth, id limit $1::int),
  locked as (
    select d.id from vitrine.webhook_delivery d
     where d.id in (select id from chosen) and ${stillPending(FREE)} for update skip locked)
  update vitrine.webhook_delivery d
     set claim = $2, claimed_until = now() + $3::float8 * interval '1 second'
    from locked l, vitrine.webhook w
   where d.id = l.id and w.id = d.webhook_id
  returning d.id, d.claim, d.webhook_id as "webhookId", d.message_id as "messageId", d.kind, d.subject,
            d.event_id as "eventId", d.body, d.due_at::text as "dueAt", d.attempts, w.url, w.restarts, w.secret,
            case when w.old_secret_until > now() then w.old_secret end as "oldSecret"`;

/** Leases up to `free` due deliveries for `seconds`. */
export function claimDeliveries(
  db: Queryable,
  free: number,
  claim: string,
  seconds: number,
  caps: DeliveryCaps,
): Promise<DeliveryLease[]> {
  return db.query<DeliveryLease>(CLAIM, [
    free,
    claim,
    seconds,
    caps.perWebhook,
    caps.perFailing,
    caps.perHost,
  ]);
}

/** Extends leases that are still this process's. */
export async function renewDeliveries(
  db: Queryable,
  leases: readonly DeliveryLease[],
  seconds: number,
): Promise<void> {
  await db.query(
    `update vitrine.webhook_delivery d set claimed_until = now() + $3::float8 * interval '1 second'
       from unnest($1::bigint[], $2::uuid[]) as l(id, claim) where d.id = l.id and d.claim = l.claim`,
    [...columnsOf(leases, "id", "claim"), seconds],
  );
}

/** Returns leases to the queue as if they had never been claimed. */
export async function releaseDeliveries(db: Queryable, leases: readonly DeliveryLease[]): Promise<void> {
  await db.query(
    `update vitrine.webhook_delivery d set claim = null, claimed_until = null
       from unnest($1::bigint[], $2::uuid[]) as l(id, claim) where d.id = l.id and d.claim = l.claim`,
    columnsOf(leases, "id", "claim"),
  );
}

/** How one attempt ended. */
export interface Attempt {
  readonly isDelivered: boolean;
  /** Of the receiver's answer; null without one. */
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly durationMs: number;
}

/**
 * Returns an event to the queue whose webhook has another URL now, or whose attempt failed after its webhook was resumed:
 * what the attempt says is of before. It keeps its lease until then, since it takes one of the receiver's places. False
 * for any other lease.
 */
export async function releaseIfStale(
  tx: Queryable,
  lease: DeliveryLease,
  isDelivered: boolean,
): Promise<boolean> {
  const rows = await tx.query(
    `update vitrine.webhook_delivery d set claim = null, claimed_until = null
       from vitrine.webhook w
      where d.id = $1 and d.claim = $2 and d.kind = 'event' and w.id = d.webhook_id
        and (w.url <> $3 or not $4 and w.restarts <> $5) returning 1`,
    [lease.id, lease.claim, lease.url, isDelivered, lease.restarts],
  );
  if (rows.length > 0) await notifyWorkers(tx);
  return rows.length > 0;
}

export interface AttemptEnd {
  /** The delivery was asked for during the attempt, which has failed: it is due now. */
  readonly isHastened: boolean;
}

/**
 * Ends the attempt of a lease. A failed one is due again in `retryMs`, or now if it was hastened meanwhile; it has failed
 * for good where that is undefined. Undefined if the lease is no longer this process's: then nothing was written.
 */
export async function endAttempt(
  tx: Queryable,
  lease: DeliveryLease,
  attempt: Attempt,
  retryMs: number | undefined,
): Promise<AttemptEnd | undefined> {
  const status = attempt.isDelivered ? "delivered" : retryMs === undefined ? "failed" : "pending";
  const [end] = await tx.query<AttemptEnd>(
    `with ended as materialized (
       select id, $3 = 'pending' and due_at <> $9::timestamptz as is_hastened
         from vitrine.webhook_delivery where id = $1 and claim = $2 for update)
     update vitrine.webhook_delivery d
        set status = $3, attempts = attempts + 1, attempted_at = now(), claim = null, claimed_until = null,
            response_status = $4, response_body = $5, error = $6, duration_ms = $7,
            due_at = now() + case when e.is_hastened then 0 else $8::float8 end * interval '1 millisecond'
       from ended e where d.id = e.id returning e.is_hastened as "isHastened"`,
    [
      lease.id,
      lease.claim,
      status,
      attempt.responseStatus,
      attempt.responseBody,
      attempt.error,
      attempt.durationMs,
      retryMs ?? 0,
      lease.dueAt,
    ],
  );
  if (!end) return undefined;
  if (lease.kind === "event" && attempt.isDelivered) await wakeNext(tx, lease);
  // A failure from before a restart says nothing of the receiver as it is now.
  const change = attempt.isDelivered
    ? "failing_since = null where failing_since is not null"
    : `failing_since = now() where failing_since is null and restarts = ${lease.restarts}`;
  await tx.query(`update vitrine.webhook set ${change} and id = $1 and url = $2`, [
    lease.webhookId,
    lease.url,
  ]);
  return end;
}

/**
 * Once an event has ended, the next one of its token is due, which may be parked (see parking.ts). One that ends just now
 * is waited for: each of the two would leave it to the other to wake the next.
 */
async function wakeNext(
  tx: Queryable,
  { webhookId, subject, eventId }: Pick<DeliveryLease, "webhookId" | "subject" | "eventId">,
): Promise<void> {
  await tx.query(
    `update vitrine.webhook_delivery set due_at = now()
      where due_at > now() and id = (
        select id from (${firstPending("$1", "$2", "and e.event_id > $3")} for update) next)`,
    [webhookId, subject, eventId],
  );
}

/**
 * Gives a pending delivery up, so that the next event of its token is due. An attempt under way is not recorded. False if
 * the delivery is not pending.
 */
export async function skipDelivery(tx: Queryable, webhookId: string, id: string): Promise<boolean> {
  const [skipped] = await tx.query<Pick<DeliveryLease, "kind" | "subject" | "eventId">>(
    `update vitrine.webhook_delivery set status = 'skipped', claim = null, claimed_until = null
      where webhook_id = $1 and id = $2 and status = 'pending' returning kind, subject, event_id as "eventId"`,
    [webhookId, id],
  );
  if (skipped?.kind === "event") await wakeNext(tx, { webhookId, ...skipped });
  return skipped !== undefined;
}

// Not what is parked behind another event, without an attempt.
const NEEDS_RESTART = `webhook_id = $1 and status = 'pending'
  and (attempts > 0 or due_at > now() and due_at < 'infinity')`;

/**
 * Makes every pending event due now that waits for no other, with all attempts ahead; see `releaseIfStale` for attempts
 * under way.
 */
export async function restartPending(tx: Queryable, webhookId: string): Promise<void> {
  await tx.query("update vitrine.webhook set restarts = restarts + 1 where id = $1", [webhookId]);
  await tx.query(`update vitrine.webhook_delivery set due_at = now(), attempts = 0 where ${NEEDS_RESTART}`, [
    webhookId,
  ]);
}

/**
 * Does most of that beforehand, batch by batch: a webhook that has failed for days may have so many that one statement
 * takes longer than any may. What is left, or fails again meanwhile, is for `restartPending`. Not for a transaction: a
 * batch that takes too long is tried again with fewer.
 */
export async function restartMostPending(db: Queryable, webhookId: string): Promise<void> {
  const size = createPageSize(RESTART_BATCH);
  let after: PlaceInQueue | null = { dueAt: "-infinity", id: "0" };
  while (after) {
    const from: PlaceInQueue = after;
    after = await size.run((limit) => restartBatch(db, webhookId, from, limit));
  }
}

interface PlaceInQueue {
  readonly dueAt: string;
  readonly id: string;
}

/** The last of a batch in the order of the database index that claims use; null if there are no more. */
async function restartBatch(
  db: Queryable,
  webhookId: string,
  after: PlaceInQueue,
  limit: number,
): Promise<PlaceInQueue | null> {
  const [row] = await db.query<{ last: PlaceInQueue | null }>(
    `with batch as materialized (
       select id, due_at from vitrine.webhook_delivery
        where ${NEEDS_RESTART} and (due_at, id) > ($2::timestamptz, $3::bigint)
        order by due_at, id limit $4),
     restarted as (
       update vitrine.webhook_delivery d set due_at = now(), attempts = 0
         from batch b where d.id = b.id and ${stillPending("true")})
     select (select json_build_object('dueAt', due_at::text, 'id', id::text) from batch
              order by due_at, id offset $4 - 1) as last`,
    [webhookId, after.dueAt, after.id, limit],
  );
  return row?.last ?? null;
}
