/** The deliveries of a webhook, as its owner sees them. */

import { columnsOf } from "../db/columns.ts";
import type { Queryable } from "../db/database.ts";
import { type DailyJob, repeatInBatches } from "../jobs/daily.ts";
import { wakeParked } from "./parking.ts";
import { firstPending, stillPending } from "./pending.ts";

export interface DeliveryRow {
  readonly id: string;
  readonly messageId: string;
  readonly kind: "event" | "test" | "resend";
  readonly eventType: string;
  readonly subject: string;
  readonly eventId: string | null;
  readonly body: string;
  readonly status: "pending" | "delivered" | "failed" | "skipped";
  readonly createdAt: Date;
  /** Null for an event that is due when one before it has ended. */
  readonly dueAt: Date | null;
  readonly attempts: number;
  readonly attemptedAt: Date | null;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly durationMs: number | null;
}

const columns = `id, message_id as "messageId", kind, event_type as "eventType", subject, event_id as "eventId", body, status,
  created_at as "createdAt", nullif(due_at, 'infinity') as "dueAt", attempts, attempted_at as "attemptedAt",
  response_status as "responseStatus", response_body as "responseBody", error, duration_ms as "durationMs"`;

/** How long deliveries are listed and can be sent again. */
const DELIVERY_DAYS = 7;

/** Deliveries of the last seven days, newest first, before the id `before`. */
export function readDeliveries(
  db: Queryable,
  webhookId: string,
  page: {
    readonly limit: number;
    readonly before?: string | undefined;
    readonly status?: string | undefined;
  },
): Promise<DeliveryRow[]> {
  return db.query<DeliveryRow>(
    `select ${columns} from vitrine.webhook_delivery
      where webhook_id = $1 and ($2::bigint is null or id < $2) and ($3::text is null or status = $3)
        and (created_at > now() - interval '${DELIVERY_DAYS} days' or status = 'pending')
      order by id desc limit $4`,
    [webhookId, page.before ?? null, page.status ?? null, page.limit],
  );
}

export async function findDelivery(
  db: Queryable,
  webhookId: string,
  id: string,
): Promise<DeliveryRow | undefined> {
  const [row] = await db.query<DeliveryRow>(
    `select ${columns} from vitrine.webhook_delivery where webhook_id = $1 and id = $2`,
    [webhookId, id],
  );
  return row;
}

export interface NewDelivery {
  readonly webhookId: string;
  readonly messageId: string;
  readonly kind: "event" | "test" | "resend";
  readonly eventType: string;
  readonly eventId: string | null;
  readonly subject: string;
  readonly body: string;
}

/** Adds deliveries that are due now, in this order. */
export function addDeliveries(tx: Queryable, added: readonly NewDelivery[]): Promise<DeliveryRow[]> {
  return tx.query<DeliveryRow>(
    `insert into vitrine.webhook_delivery (webhook_id, message_id, kind, event_type, event_id, subject, body)
     select a.* from unnest($1::uuid[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::text[], $7::text[]) as a
     returning ${columns}`,
    columnsOf(added, "webhookId", "messageId", "kind", "eventType", "eventId", "subject", "body"),
  );
}

/**
 * Makes a pending delivery due now, or right after the attempt under way if that fails (see `endAttempt`). Undefined if it
 * is not pending, or is a test or resend that is being sent: those have one attempt.
 */
export async function hastenDelivery(db: Queryable, id: string): Promise<DeliveryRow | undefined> {
  const [row] = await db.query<DeliveryRow>(
    `update vitrine.webhook_delivery set due_at = now()
      where id = $1 and status = 'pending' and (kind = 'event' or claim is null) returning ${columns}`,
    [id],
  );
  return row;
}

/** How many tests and resends of a webhook are pending; no more than `most` are counted. */
export async function countExtra(db: Queryable, webhookId: string, most: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from (
       select from vitrine.webhook_delivery
        where webhook_id = $1 and status = 'pending' and kind <> 'event' limit $2) as extra`,
    [webhookId, most],
  );
  return row?.count ?? 0;
}

/** How many deliveries of each webhook are pending. */
export async function countPending(
  db: Queryable,
  webhookIds: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const rows = await db.query<{ id: string; count: number }>(
    `select webhook_id as id, count(*)::int as count from vitrine.webhook_delivery
      where webhook_id = any($1::uuid[]) and status = 'pending' group by webhook_id`,
    [webhookIds],
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}

// Each by a database index: where few rows of millions are old, reading them all takes longer than a statement may.
const OLD = `
  select d.id from vitrine.webhook_delivery d join vitrine.webhook w on w.id = d.webhook_id
   where d.created_at < now() - interval '${DELIVERY_DAYS} days' and (d.status <> 'pending' or w.status = 'paused')
   -- An event after those before it of its token, which were created at the same moment.
   order by d.created_at, d.id limit $1`;
// In one statement: a webhook may be resumed right after it, or the process die. Of the deleted events of a token, the last
// is the one that the next was parked behind.
const DELETE_OLD = `
  with gone as (
    delete from vitrine.webhook_delivery where id in (${OLD}) returning webhook_id, subject, event_id, kind, status),
  last as materialized (
    select webhook_id, subject, max(event_id) as event_id from gone
     where kind = 'event' and status = 'pending' group by webhook_id, subject),
  woken as (
    update vitrine.webhook_delivery d set due_at = now()
      from last l cross join lateral (${firstPending("l.webhook_id", "l.subject", "and e.event_id > l.event_id")}) next
     where d.id = next.id and ${stillPending("d.due_at = 'infinity'")})
  select 1 from gone`;
const OF_DELETED_WEBHOOKS = `
  with recursive own as (
    (select webhook_id from vitrine.webhook_delivery order by webhook_id limit 1)
    union all
    select (select d.webhook_id from vitrine.webhook_delivery d
             where d.webhook_id > own.webhook_id order by d.webhook_id limit 1)
      from own where own.webhook_id is not null),
  gone as materialized (
    select own.webhook_id from own
     where own.webhook_id is not null and not exists (select from vitrine.webhook w where w.id = own.webhook_id))
  select f.id from gone
   cross join lateral (
     select d.id from vitrine.webhook_delivery d where d.webhook_id = gone.webhook_id limit $1) f
   limit $1`;
const DELETE_OF_DELETED_WEBHOOKS = `
  delete from vitrine.webhook_delivery where id in (${OF_DELETED_WEBHOOKS}) returning 1`;

/** What an active webhook has yet to get is kept, however old. */
export const forgetOldDeliveries: DailyJob = {
  name: "delete old webhook deliveries",
  async run(database) {
    let rows = 0;
    for (const sql of [DELETE_OLD, DELETE_OF_DELETED_WEBHOOKS]) rows += await repeatInBatches(database, sql);
    for (const { id } of await database.query<{ id: string }>("select id from vitrine.webhook"))
      await wakeParked(database, id);
    return rows;
  },
};

export interface DeliveryState {
  /** Seconds that the oldest pending delivery of an active webhook has waited, if its app may have it. */
  readonly lagSeconds: number;
  readonly pending: number;
  readonly paused: number;
}

/** For metrics. */
export async function readDeliveryState(db: Queryable): Promise<DeliveryState> {
  const [row] = await db.query<DeliveryState>(
    // The lowest id is the oldest, and is in the database index with which they are counted.
    `select count(*) filter (where w.status = 'paused')::int as paused,
            coalesce(sum(p.pending), 0)::int as pending,
            coalesce(extract(epoch from max(now() - (
              select d.created_at from vitrine.webhook_delivery d where d.id = p.oldest)) filter (
                where w.status = 'active' and 'market-partner' = any(a.apis))), 0)::float8 as "lagSeconds"
       from vitrine.webhook w
       left join vitrine.app a on a.id = w.app_id
       left join lateral (select count(*) as pending, min(d.id) as oldest from vitrine.webhook_delivery d
                           where d.webhook_id = w.id and d.status = 'pending') p on true`,
  );
  return row ?? { lagSeconds: 0, pending: 0, paused: 0 };
}
