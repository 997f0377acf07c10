/** Apps and their keys in PostgreSQL. */

import { randomUUID } from "node:crypto";
import type { Queryable } from "../../db/database.ts";
import type { Tier } from "../../http/limits/tiers.ts";
import type { CallerApp } from "../../http/router.ts";
import type { NewKey } from "./keys.ts";

/** Notifies every process when permissions or keys change. */
export const ACCESS_CHANNEL = "vitrine_access";

export interface NewApp {
  readonly name: string;
  readonly apis: readonly string[];
  /** `chainId:address` each, or null for every collection. */
  readonly collections: readonly string[] | null;
}

/** Delivered when the transaction commits. */
export async function notifyReplicas(tx: Queryable): Promise<void> {
  await tx.query("select pg_notify($1, '')", [ACCESS_CHANNEL]);
}

/** Creates the operator's app, or widens its permissions. Returns its id; undefined if a wallet owns the name. */
export async function saveApp(db: Queryable, app: NewApp): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    `insert into vitrine.app as a (id, name, apis, collections) values ($1, $2, $3, $4)
     on conflict (name) do update set
       apis = (select array_agg(distinct api) from unnest(a.apis || excluded.apis) as api),
       collections = case when a.collections is null or excluded.collections is null then null
                          else (select array_agg(distinct c) from unnest(a.collections || excluded.collections) as c) end
      where a.owner is null
     returning id`,
    [randomUUID(), app.name, app.apis, app.collections],
  );
  return row?.id;
}

export interface KeyToAdd extends Omit<NewKey, "key"> {
  readonly id: string;
  readonly appId: string;
  readonly encrypted: Buffer;
  /** How long it works; by default, until it is revoked. */
  readonly expiresInSeconds?: number | undefined;
}

export async function addKey(
  db: Queryable,
  { id, appId, hash, start, encrypted, expiresInSeconds }: KeyToAdd,
): Promise<void> {
  await db.query(
    `insert into vitrine.api_key (id, app_id, hash, start, sealed, expires_at)
     values ($1, $2, $3, $4, $5, now() + $6::float8 * interval '1 second')`,
    [id, appId, hash, start, encrypted, expiresInSeconds ?? null],
  );
}

const LIVE = "k.revoked_at is null and (k.expires_at is null or k.expires_at > now())";

export async function findAppByKeyHash(db: Queryable, hash: Buffer): Promise<CallerApp | undefined> {
  const [row] = await db.query<CallerApp>(
    `select a.id, a.name, k.id as "keyId", a.apis, a.collections, a.tier
       from vitrine.api_key k join vitrine.app a on a.id = k.app_id where k.hash = $1 and ${LIVE}`,
    [hash],
    "find app by key",
  );
  return row;
}

export interface KeyRow {
  readonly id: string;
  readonly app_id: string;
  readonly app: string;
  readonly tier: Tier;
  readonly start: string;
  readonly apis: readonly string[];
  readonly collections: readonly string[] | null;
  readonly created_at: Date;
  /** When the key expires; null for never. */
  readonly expires_at: Date | null;
  readonly revoked_at: Date | null;
  /** The last request with the key, to the minute; null for none on record. */
  readonly last_used_at: Date | null;
}

const SHOWN = `k.id, k.app_id, a.name as app, a.tier, k.start, a.apis, a.collections, k.created_at, k.expires_at,
               k.revoked_at, k.last_used_at`;

/** Up to `limit` keys of all apps, oldest first, including revoked ones, starting after the key `after`. */
export function listKeys(db: Queryable, limit: number, after?: string): Promise<KeyRow[]> {
  return db.query<KeyRow>(
    `select ${SHOWN} from vitrine.api_key k join vitrine.app a on a.id = k.app_id
      where $2::uuid is null or (k.created_at, k.id) > (select created_at, id from vitrine.api_key where id = $2)
      order by k.created_at, k.id limit $1`,
    [limit, after ?? null],
  );
}

/**
 * An app's newest keys, oldest first: up to `live` that work, and up to `ended` that no longer do. Of those that work, the
 * ones that never expire come before newer ones that do.
 */
export function readNewestKeys(
  db: Queryable,
  appId: string,
  { live, ended }: { readonly live: number; readonly ended: number },
): Promise<KeyRow[]> {
  return db.query<KeyRow>(
    `select ${SHOWN} from (
       select k.*, row_number() over (
                     partition by (${LIVE})
                     order by (${LIVE} and k.expires_at is null) desc, k.created_at desc, k.id desc
                   ) as nth
         from vitrine.api_key k where k.app_id = $1
     ) k join vitrine.app a on a.id = k.app_id
      where k.nth <= case when ${LIVE} then $2::int else $3::int end order by k.created_at, k.id`,
    [appId, live, ended],
  );
}

export async function hasKey(db: Queryable, appId: string, id: string): Promise<boolean> {
  const rows = await db.query("select 1 from vitrine.api_key where id = $1 and app_id = $2", [id, appId]);
  return rows.length > 0;
}

/** Makes others that add keys to the app wait until the transaction ends, but none who only refers to it. */
export async function lockApp(tx: Queryable, id: string): Promise<void> {
  await tx.query("select 1 from vitrine.app where id = $1 for no key update", [id]);
}

/** How many keys of an app work. */
export async function countLiveKeys(db: Queryable, appId: string): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    `select count(*)::int as count from vitrine.api_key k where k.app_id = $1 and ${LIVE}`,
    [appId],
  );
  return row?.count ?? 0;
}

interface LiveKey {
  readonly appId: string;
  readonly encrypted: Buffer | null;
  /** When the key expires; null for never. */
  readonly expiresAt: Date | null;
}

const LIVE_KEY = `select k.app_id as "appId", k.sealed as encrypted, k.expires_at as "expiresAt"
   from vitrine.api_key k where k.id = $1 and ${LIVE}`;

/** A working key and its ciphertext; undefined for any other. */
export async function findLiveKey(db: Queryable, id: string): Promise<LiveKey | undefined> {
  const [row] = await db.query<LiveKey>(LIVE_KEY, [id]);
  return row;
}

/** The same, with its row locked until the transaction ends. */
export async function findLiveKeyForUpdate(db: Queryable, id: string): Promise<LiveKey | undefined> {
  const [row] = await db.query<LiveKey>(`${LIVE_KEY} for update`, [id]);
  return row;
}

/** Whether an app has a key that works and never expires. */
export async function hasLastingKey(db: Queryable, appId: string): Promise<boolean> {
  const rows = await db.query(
    "select 1 from vitrine.api_key where app_id = $1 and revoked_at is null and expires_at is null limit 1",
    [appId],
  );
  return rows.length > 0;
}

/** Expires a key after `seconds`, unless it expires earlier. */
export async function expireKey(db: Queryable, id: string, seconds: number): Promise<void> {
  await db.query(
    `update vitrine.api_key set expires_at = least(expires_at, now() + $2::float8 * interval '1 second') where id = $1`,
    [id, seconds],
  );
}

/** False if there is no such key or it is already revoked. */
export async function revokeKey(db: Queryable, id: string): Promise<boolean> {
  const rows = await db.query(
    "update vitrine.api_key set revoked_at = now() where id = $1 and revoked_at is null returning 1",
    [id],
  );
  return rows.length > 0;
}

/** Keys whose ciphertext does not start with `mark`, by id, after `after`. */
export function readKeysOfOldSecrets(
  db: Queryable,
  mark: Buffer,
  after: string,
  limit: number,
): Promise<{ id: string; encrypted: Buffer }[]> {
  return db.query(
    `select id, sealed as encrypted from vitrine.api_key
      where sealed is not null and substring(sealed for $1) <> $2 and id > $3 order by id limit $4`,
    [mark.length, mark, after, limit],
  );
}

/** Replaces the ciphertext, unless another process was faster. */
export async function replaceEncrypted(
  db: Queryable,
  id: string,
  old: Buffer,
  encrypted: Buffer,
): Promise<void> {
  await db.query("update vitrine.api_key set sealed = $3 where id = $1 and sealed = $2", [
    id,
    old,
    encrypted,
  ]);
}
