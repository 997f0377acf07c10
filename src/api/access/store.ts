/** Apps, their keys and the audit log in PostgreSQL. */

import { randomUUID } from "node:crypto";
import type { CallerApp } from "../contract/router.ts";
import type { Queryable } from "../store/database.ts";

export interface NewApp {
  readonly name: string;
  readonly apis: readonly string[];
  /** `chainId:address` each, or null for every collection. */
  readonly collections: readonly string[] | null;
}

/** Makes the app, or widens what an app of that name may do; returns its id. */
export async function saveApp(db: Queryable, app: NewApp): Promise<string> {
  const [row] = await db.query<{ id: string }>(
    `insert into vitrine.app as a (id, name, apis, collections) values ($1, $2, $3, $4)
     on conflict (name) do update set
       apis = (select array_agg(distinct api) from unnest(a.apis || excluded.apis) as api),
       collections = case when a.collections is null or excluded.collections is null then null
                          else (select array_agg(distinct c) from unnest(a.collections || excluded.collections) as c) end
     returning id`,
    [randomUUID(), app.name, app.apis, app.collections],
  );
  if (!row) throw new Error("the app was not saved");
  return row.id;
}

export async function addKey(db: Queryable, appId: string, hash: Buffer, start: string): Promise<string> {
  const id = randomUUID();
  await db.query("insert into vitrine.api_key (id, app_id, hash, start) values ($1, $2, $3, $4)", [
    id,
    appId,
    hash,
    start,
  ]);
  return id;
}

export async function findAppByKeyHash(db: Queryable, hash: Buffer): Promise<CallerApp | undefined> {
  const [row] = await db.query<CallerApp>(
    `select a.id, a.name, a.apis from vitrine.api_key k join vitrine.app a on a.id = k.app_id
      where k.hash = $1 and k.revoked_at is null`,
    [hash],
  );
  return row;
}

export interface KeyRow {
  readonly id: string;
  readonly app: string;
  readonly start: string;
  readonly apis: readonly string[];
  readonly collections: readonly string[] | null;
  readonly created_at: Date;
  readonly revoked_at: Date | null;
}

export function listKeys(db: Queryable): Promise<KeyRow[]> {
  return db.query<KeyRow>(
    `select k.id, a.name as app, k.start, a.apis, a.collections, k.created_at, k.revoked_at
       from vitrine.api_key k join vitrine.app a on a.id = k.app_id order by k.created_at, k.id`,
  );
}

/** False when there is no such key that is not revoked yet. */
export async function revokeKey(db: Queryable, id: string): Promise<boolean> {
  const rows = await db.query(
    "update vitrine.api_key set revoked_at = now() where id = $1 and revoked_at is null returning 1",
    [id],
  );
  return rows.length > 0;
}

export async function addAudit(
  db: Queryable,
  actor: string,
  action: string,
  subject: string,
  detail: object,
): Promise<void> {
  await db.query("insert into vitrine.audit (actor, action, subject, detail) values ($1, $2, $3, $4)", [
    actor,
    action,
    subject,
    JSON.stringify(detail),
  ]);
}
