/** The deliveries of a webhook, as its owner sees them. */

import { columnsOf } from "../db/columns.ts";
import type { Queryable } from "../db/database.ts";
import { type DailyJob, repeatInBatches } from "../jobs/daily.ts";

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
  readonly dueAt: Date;
  readonly attempts: number;
  readonly attemptedAt: Date | null;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly durationMs: number | null;
}

const columns = `id, message_id as "messageId", kind, event_type as "eventType", subject, event_id as "eventId", body, status,
  created_at as "createdAt", due_at as "dueAt", attempts, attempted_at as "attemptedAt",
  response_status as "responseStatus", response_body as "responseBody", error, duration_ms as "durationMs"`;

/** How long deliveries are listed and can be sent again. */
export const DELIVERY_DAYS = 7;

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

/** Makes a pending delivery due now; undefined if it is not pending, or is being sent. */
export async function hastenDelivery(db: Queryable, id: string): Promise<DeliveryRow | undefined> {
  const [row] = await db.query<DeliveryRow>(
    `update vitrine.webhook_delivery set due_at = now() where id = $1 and status = 'pending' returning ${columns}`,
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

/** What an active webhook has yet to get is kept, however old. */
export const forgetOldDeliveries: DailyJob = {
  name: "delete old webhook deliveries",
  run: (database) =>
    repeatInBatches(
      database,
      `delete from vitrine.webhook_delivery where id in (
         select d.id from vitrine.webhook_delivery d left join vitrine.webhook w on w.id = d.webhook_id
          where w.id is null
             or (d.created_at < now() - interval '${DELIVERY_DAYS} days' and (d.status <> 'pending' or w.status = 'paused'))
          limit $1) returning 1`,
    ),
};

export interface DeliveryState {
  /** Seconds that the longest due delivery of an active webhook has waited, and events not yet fanned out. */
  readonly lagSeconds: number;
  readonly pending: number;
  readonly paused: number;
}

/** For metrics. */
export async function readDeliveryState(db: Queryable): Promise<DeliveryState> {
  const [row] = await db.query<DeliveryState>(
    `select count(*) filter (where w.status = 'paused')::int as paused,
            coalesce(sum(p.pending), 0)::int as pending,
            coalesce(extract(epoch from max(now() - p.oldest) filter (where w.status = 'active')), 0)::float8 as "lagSeconds"
       from vitrine.webhook w
       left join lateral (select count(*) as pending, min(d.created_at) as oldest from vitrine.webhook_delivery d
                           where d.webhook_id = w.id and d.status = 'pending') p on true`,
  );
  return row ?? { lagSeconds: 0, pending: 0, paused: 0 };
}
