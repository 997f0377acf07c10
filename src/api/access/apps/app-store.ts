/** Console apps and their permission requests, in PostgreSQL. */

import { randomUUID } from "node:crypto";
import type { Queryable } from "../../db/database.ts";
import type { Tier } from "../../http/limits/tiers.ts";

export interface AppRow {
  readonly id: string;
  readonly name: string;
  readonly apis: readonly string[];
  readonly collections: readonly string[] | null;
  /** The owner's wallet; null for the operator's apps. */
  readonly owner: string | null;
  readonly tier: Tier;
  readonly createdAt: Date;
}

export type RequestKind = "api" | "collection" | "tier";

export interface RequestRow {
  readonly id: string;
  readonly appId: string;
  readonly app: string;
  readonly owner: string | null;
  readonly kind: RequestKind;
  readonly subject: string;
  readonly createdAt: Date;
  readonly decidedAt: Date | null;
  readonly isApproved: boolean | null;
}

const APP = `a.id, a.name, a.apis, a.collections, a.owner, a.tier, a.created_at as "createdAt"`;
const REQUEST = `r.id, r.app_id as "appId", a.name as app, a.owner, r.kind, r.subject, r.created_at as "createdAt",
  r.decided_at as "decidedAt", r.is_approved as "isApproved"`;

/** Returns the id, or undefined if the name is taken. */
export async function addApp(
  db: Queryable,
  app: { readonly name: string; readonly owner: string | null; readonly tier: Tier },
): Promise<string | undefined> {
  const [row] = await db.query<{ id: string }>(
    `insert into vitrine.app (id, name, apis, collections, owner, tier) values ($1, $2, '{}', '{}', $3, $4)
     on conflict (name) do nothing returning id`,
    [randomUUID(), app.name, app.owner, app.tier],
  );
  return row?.id;
}

/** An owner's apps, by name. */
export function readApps(db: Queryable, owner: string): Promise<AppRow[]> {
  return db.query<AppRow>(
    `select ${APP} from vitrine.app a where a.owner = $1 order by lower(a.name), a.id`,
    [owner],
  );
}

/** Apps whose name or owner contains the text, by name, starting after the app `after`. */
export function findApps(
  db: Queryable,
  text: string,
  after: string | undefined,
  limit: number,
): Promise<AppRow[]> {
  return db.query<AppRow>(
    `select ${APP} from vitrine.app a
      where (strpos(lower(a.name), lower($1)) > 0 or strpos(a.owner, lower($1)) > 0)
        and ($2::uuid is null or (lower(a.name), a.id) > (select lower(name), id from vitrine.app where id = $2))
      order by lower(a.name), a.id limit $3`,
    [text, after ?? null, limit],
  );
}

export interface Holders {
  readonly apps: readonly { readonly id: string; readonly name: string }[];
  /** The total, including apps that are not listed. */
  readonly count: number;
}

/** The first `limit` apps by name with a permission for each collection; collections are named as in permissions. */
export async function readHolders(
  db: Queryable,
  collections: readonly string[],
  limit: number,
): Promise<Holders[]> {
  const rows = await db.query<Holders>(
    `select coalesce(held.apps, '[]') as apps, coalesce(held.count, 0)::int as count
      from unnest($1::text[]) with ordinality as asked(name, nth)
      left join lateral (
        select json_agg(json_build_object('id', id, 'name', name) order by lower(name), id) filter (where nth <= $2) as apps,
               count(*) as count
        from (select a.id, a.name, row_number() over (order by lower(a.name), a.id) as nth from vitrine.app a
               where a.collections is null or asked.name = any (a.collections)) app
      ) held on true
      order by asked.nth`,
    [collections, limit],
  );
  return rows;
}

export async function readApp(db: Queryable, id: string, lock = false): Promise<AppRow | undefined> {
  const [row] = await db.query<AppRow>(
    `select ${APP} from vitrine.app a where a.id = $1 ${lock ? "for update" : ""}`,
    [id],
  );
  return row;
}

export async function countApps(db: Queryable, owner: string): Promise<number> {
  const [row] = await db.query<{ apps: number }>(
    "select count(*)::int as apps from vitrine.app where owner = $1",
    [owner],
  );
  return row?.apps ?? 0;
}

/** Replaces an app's permissions. */
export async function writeApp(
  db: Queryable,
  { id, apis, collections, tier }: Pick<AppRow, "id" | "apis" | "collections" | "tier">,
): Promise<void> {
  await db.query("update vitrine.app set apis = $2, collections = $3, tier = $4 where id = $1", [
    id,
    apis,
    collections,
    tier,
  ]);
}

/** False if the same request is already open. */
export async function addRequest(
  db: Queryable,
  appId: string,
  kind: RequestKind,
  subject: string,
): Promise<boolean> {
  const rows = await db.query(
    `insert into vitrine.access_request (id, app_id, kind, subject) values ($1, $2, $3, $4)
     on conflict (app_id, kind, subject) where decided_at is null do nothing returning 1`,
    [randomUUID(), appId, kind, subject],
  );
  return rows.length > 0;
}

/** Open requests, oldest first. */
export function readOpenRequests(db: Queryable, limit: number): Promise<RequestRow[]> {
  return db.query<RequestRow>(
    `select ${REQUEST} from vitrine.access_request r join vitrine.app a on a.id = r.app_id
      where r.decided_at is null order by r.created_at, r.id limit $1`,
    [limit],
  );
}

/** An app's requests, newest first. */
export function readRequests(db: Queryable, appId: string, limit: number): Promise<RequestRow[]> {
  return db.query<RequestRow>(
    `select ${REQUEST} from vitrine.access_request r join vitrine.app a on a.id = r.app_id
      where r.app_id = $1 order by r.created_at desc, r.id limit $2`,
    [appId, limit],
  );
}

/** Closes an open request; undefined if it is already closed or never existed. */
export async function closeRequest(
  db: Queryable,
  id: string,
  isApproved: boolean,
  actor: string,
): Promise<{ appId: string; kind: RequestKind; subject: string } | undefined> {
  const [row] = await db.query<{ appId: string; kind: RequestKind; subject: string }>(
    `update vitrine.access_request set decided_at = now(), decided_by = $3, is_approved = $2
      where id = $1 and decided_at is null returning app_id as "appId", kind, subject`,
    [id, isApproved, actor],
  );
  return row;
}

/** Closes an open request that was settled another way. */
export async function settleRequest(
  db: Queryable,
  appId: string,
  kind: RequestKind,
  subject: string,
  actor: string,
): Promise<void> {
  await db.query(
    `update vitrine.access_request set decided_at = now(), decided_by = $4, is_approved = true
      where app_id = $1 and kind = $2 and subject = $3 and decided_at is null`,
    [appId, kind, subject, actor],
  );
}
