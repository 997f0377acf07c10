/** Webhooks in PostgreSQL. */

import type { Queryable } from "../db/database.ts";
import { hostAndPort } from "../fetch/guarded-connector.ts";

export type PausedReason = "requested" | "failing" | "gone";

export interface WebhookRow {
  readonly id: string;
  readonly appId: string;
  readonly url: string;
  readonly description: string | null;
  /** Empty for all. */
  readonly eventTypes: readonly string[];
  /** `chainId:address` each; empty for all. */
  readonly collections: readonly string[];
  readonly status: "active" | "paused";
  readonly pausedReason: PausedReason | null;
  readonly pausedAt: Date | null;
  readonly failingSince: Date | null;
  /** Until when the previous secret signs too; null if it doesn't. */
  readonly oldSecretUntil: Date | null;
  /** When the last rotation's previous secret signs no more, or did; null if there was no rotation. */
  readonly rotationEndsAt: Date | null;
  readonly createdAt: Date;
}

const columns = `w.id, w.app_id as "appId", w.url, w.description, w.event_types as "eventTypes", w.collections, w.status,
  w.paused_reason as "pausedReason", w.paused_at as "pausedAt", w.failing_since as "failingSince",
  case when w.old_secret_until > now() then w.old_secret_until end as "oldSecretUntil",
  w.old_secret_until as "rotationEndsAt", w.created_at as "createdAt"`;

/** What an app chooses of a webhook. */
export interface WebhookSettings {
  readonly url: string;
  readonly description: string | null;
  readonly eventTypes: readonly string[];
  readonly collections: readonly string[];
}

/** An app's webhooks, oldest first; of one id, if given. */
export function readWebhooks(db: Queryable, appId: string, id?: string): Promise<WebhookRow[]> {
  return db.query<WebhookRow>(
    `select ${columns} from vitrine.webhook w
      where w.app_id = $1 and ($2::uuid is null or w.id = $2) order by w.created_at, w.id`,
    [appId, id ?? null],
  );
}

/** Waits for others who change the webhooks of an app, until the transaction ends. Returns how many there are. */
export async function lockWebhooksOf(tx: Queryable, appId: string): Promise<number> {
  await tx.query("select pg_advisory_xact_lock(hashtextextended('webhooks of ' || $1, 0))", [appId]);
  const [row] = await tx.query<{ count: number }>(
    "select count(*)::int as count from vitrine.webhook where app_id = $1",
    [appId],
  );
  return row?.count ?? 0;
}

/** `afterEvent` is the last event that the webhook does not get. */
export async function addWebhook(
  tx: Queryable,
  added: {
    readonly id: string;
    readonly appId: string;
    readonly secret: Buffer;
    readonly afterEvent: number;
  },
  { url, description, eventTypes, collections }: WebhookSettings,
): Promise<void> {
  await tx.query(
    `insert into vitrine.webhook (id, app_id, url, host, description, event_types, collections, secret, after_event)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      added.id,
      added.appId,
      url,
      hostAndPort(url),
      description,
      eventTypes,
      collections,
      added.secret,
      added.afterEvent,
    ],
  );
}

export async function writeSettings(
  tx: Queryable,
  id: string,
  { url, description, eventTypes, collections }: WebhookSettings,
): Promise<void> {
  await tx.query(
    `update vitrine.webhook
        set url = $2, host = $3, description = $4, event_types = $5, collections = $6,
            -- Nothing is known of another receiver.
            failing_since = case when url = $2 then failing_since end
      where id = $1`,
    [id, url, hostAndPort(url), description, eventTypes, collections],
  );
}

const pausing = `update vitrine.webhook set status = 'paused', paused_reason = $2, paused_at = now()
                  where id = $1 and status = 'active'`;

/**
 * Pauses an active webhook after an attempt at `url`; false if it has another, was restarted since the attempt began, is
 * paused already, or gone.
 */
export async function pauseWebhook(
  tx: Queryable,
  id: string,
  reason: Exclude<PausedReason, "requested">,
  { url, restarts }: { readonly url: string; readonly restarts: number },
): Promise<boolean> {
  const rows = await tx.query(`${pausing} and url = $3 and restarts = $4 returning 1`, [
    id,
    reason,
    url,
    restarts,
  ]);
  return rows.length > 0;
}

/** Pauses a webhook for whoever asked, until it is resumed, whatever it was paused for before. */
export async function pauseOnRequest(tx: Queryable, id: string): Promise<void> {
  await tx.query(
    `update vitrine.webhook set status = 'paused', paused_reason = 'requested', paused_at = coalesce(paused_at, now())
      where id = $1`,
    [id],
  );
}

/** Pauses an active webhook whose every attempt for `ms` has failed, and that has owed an event for so long; false otherwise. */
export async function pauseFailing(tx: Queryable, id: string, ms: number): Promise<boolean> {
  const rows = await tx.query(
    `${pausing} and failing_since < now() - $3::float8 * interval '1 millisecond'
        -- Not one whose test failed before it had any event.
        and exists (
          select from vitrine.webhook_delivery d
           where d.webhook_id = $1 and d.status = 'pending' and d.kind = 'event' and d.attempts > 0
             and d.created_at < now() - $3::float8 * interval '1 millisecond')
     returning 1`,
    [id, "failing", ms],
  );
  return rows.length > 0;
}

/** Resumes a paused webhook; false if it is active already. */
export async function resumeWebhook(tx: Queryable, id: string): Promise<boolean> {
  const rows = await tx.query(
    `update vitrine.webhook set status = 'active', paused_reason = null, paused_at = null, failing_since = null
      where id = $1 and status = 'paused' returning 1`,
    [id],
  );
  return rows.length > 0;
}

/** Replaces the secret; the one before signs too for `seconds` more, and an even older one no longer. */
export async function rotateSecret(
  tx: Queryable,
  id: string,
  secret: Buffer,
  seconds: number,
): Promise<void> {
  await tx.query(
    `update vitrine.webhook
        set old_secret = secret, old_secret_until = now() + $3::float8 * interval '1 second', secret = $2
      where id = $1`,
    [id, secret, seconds],
  );
}

/** The secret as it is stored, if it was made in the last `within` seconds by a rotation with `overlap` seconds. */
export async function readRotatedSecret(
  tx: Queryable,
  id: string,
  { overlap, within }: { readonly overlap: number; readonly within: number },
): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ secret: Buffer }>(
    `select secret from vitrine.webhook
      where id = $1 and old_secret_until > now() + ($2::float8 - $3::float8) * interval '1 second'`,
    [id, overlap, within],
  );
  return row?.secret;
}

/** The secret as it is stored, if the webhook was created in the last `within` seconds. */
export async function readNewSecret(tx: Queryable, id: string, within: number): Promise<Buffer | undefined> {
  const [row] = await tx.query<{ secret: Buffer }>(
    "select secret from vitrine.webhook where id = $1 and created_at > now() - $2::float8 * interval '1 second'",
    [id, within],
  );
  return row?.secret;
}

/** Deletes the webhook. Its deliveries are sent no more, and the daily job deletes them. */
export async function deleteWebhook(tx: Queryable, appId: string, id: string): Promise<boolean> {
  const rows = await tx.query("delete from vitrine.webhook where app_id = $1 and id = $2 returning 1", [
    appId,
    id,
  ]);
  return rows.length > 0;
}

/** All encrypted secrets. */
export const readSecrets = (
  db: Queryable,
): Promise<{ id: string; secret: Buffer; oldSecret: Buffer | null }[]> =>
  db.query(`select id, secret, old_secret as "oldSecret" from vitrine.webhook order by id`);

/** Replaces a ciphertext, which a rotation may have made that of the previous secret since it was read. */
export async function replaceCiphertext(db: Queryable, id: string, from: Buffer, to: Buffer): Promise<void> {
  await db.query(
    `update vitrine.webhook
        set secret = case when secret = $2 then $3 else secret end,
            old_secret = case when old_secret = $2 then $3 else old_secret end
      where id = $1 and (secret = $2 or old_secret = $2)`,
    [id, from, to],
  );
}
