/** Console apps and their permission requests, in PostgreSQL. */

import { randomUUID } from "node:crypto";
import { and, asc, desc, eq, getTableColumns, inArray, isNull, type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../../db/database.ts";
import { now, orm } from "../../db/orm.ts";
import type { Tier } from "../../http/limits/tiers.ts";
import { accessRequest, app } from "../tables.ts";

export type AppRow = Readonly<typeof app.$inferSelect>;
export type RequestKind = (typeof accessRequest.$inferSelect)["kind"];
export type RequestRow = Readonly<Awaited<ReturnType<typeof readRequests>>[number]>;

const byName = [sql`lower(${app.name})`, app.id];

/** False if the name is taken. */
export async function addApp(
  db: Queryable,
  {
    id,
    name,
    owner,
    tier,
    apis,
  }: {
    readonly id: string;
    readonly name: string;
    readonly owner: string | null;
    readonly tier: Tier;
    readonly apis: readonly string[];
  },
): Promise<boolean> {
  const added = await orm(db)
    .insert(app)
    .values({ id, name, apis: [...apis], collections: [], owner, tier })
    .onConflictDoNothing({ target: app.name })
    .returning({ id: app.id });
  return added.length > 0;
}

/** An owner's apps, by name. */
export async function readApps(db: Queryable, owner: string): Promise<AppRow[]> {
  return orm(db)
    .select()
    .from(app)
    .where(eq(app.owner, owner))
    .orderBy(...byName);
}

/** Apps whose name or owner contains the text, by name, starting after the app `after`. */
export async function findApps(
  db: Queryable,
  text: string,
  after: string | undefined,
  limit: number,
): Promise<AppRow[]> {
  const hasText = sql`(strpos(lower(${app.name}), lower(${text})) > 0 or strpos(${app.owner}, lower(${text})) > 0)`;
  const isAfter =
    after &&
    sql`(lower(${app.name}), ${app.id}) > (select lower(name), id from vitrine.app where id = ${after})`;
  return orm(db)
    .select()
    .from(app)
    .where(isAfter ? and(hasText, isAfter) : hasText)
    .orderBy(...byName)
    .limit(limit);
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

export async function readApp(db: Queryable, id: string): Promise<AppRow | undefined> {
  const [row] = await orm(db).select().from(app).where(eq(app.id, id));
  return row;
}

/** An app, locked until the transaction ends. */
export async function readAppForUpdate(db: Queryable, id: string): Promise<AppRow | undefined> {
  const [row] = await orm(db).select().from(app).where(eq(app.id, id)).for("update");
  return row;
}

export async function countApps(db: Queryable, owner: string): Promise<number> {
  return orm(db).$count(app, eq(app.owner, owner));
}

/** Replaces an app's permissions. */
export async function writeApp(
  db: Queryable,
  { id, apis, collections, tier }: Pick<AppRow, "id" | "apis" | "collections" | "tier">,
): Promise<void> {
  await orm(db).update(app).set({ apis, collections, tier }).where(eq(app.id, id));
}

const isOpen: SQL = isNull(accessRequest.decidedAt);

/** False if the same request is already open. */
export async function addRequest(
  db: Queryable,
  appId: string,
  kind: RequestKind,
  subject: string,
): Promise<boolean> {
  const { id } = accessRequest;
  const target = [accessRequest.appId, accessRequest.kind, accessRequest.subject];
  const added = await orm(db)
    .insert(accessRequest)
    .values({ id: randomUUID(), appId, kind, subject })
    .onConflictDoNothing({ target, where: isOpen })
    .returning({ id });
  return added.length > 0;
}

const requests = (db: Queryable) => {
  const { decidedBy: _, ...shown } = getTableColumns(accessRequest);
  return orm(db)
    .select({ ...shown, app: app.name, owner: app.owner })
    .from(accessRequest)
    .innerJoin(app, eq(app.id, accessRequest.appId));
};

/** Open requests, oldest first, starting after the request `after`, which may be closed by now. */
export async function readOpenRequests(db: Queryable, after: string | undefined, limit: number) {
  const { createdAt, id } = accessRequest;
  const isAfter =
    after &&
    sql`(${createdAt}, ${id}) > (select created_at, id from vitrine.access_request where id = ${after})`;
  return requests(db)
    .where(isAfter ? and(isOpen, isAfter) : isOpen)
    .orderBy(asc(createdAt), asc(id))
    .limit(limit);
}

/** How many requests are open. */
export async function countOpenRequests(db: Queryable): Promise<number> {
  return orm(db).$count(accessRequest, isOpen);
}

/** How many requests of an app for these kinds are open. */
export async function countOpenRequestsOf(
  db: Queryable,
  id: string,
  kinds: readonly RequestKind[],
): Promise<number> {
  const { appId, kind } = accessRequest;
  return orm(db).$count(accessRequest, and(eq(appId, id), inArray(kind, [...kinds]), isOpen));
}

/** An app's requests, newest first. */
export async function readRequests(db: Queryable, appId: string, limit: number) {
  return requests(db)
    .where(eq(accessRequest.appId, appId))
    .orderBy(desc(accessRequest.createdAt), asc(accessRequest.id))
    .limit(limit);
}

/** The app of a request, locked until the transaction ends; undefined if there is no such request. */
export async function lockAppOfRequest(db: Queryable, id: string): Promise<AppRow | undefined> {
  const [request] = await orm(db)
    .select({ appId: accessRequest.appId })
    .from(accessRequest)
    .where(eq(accessRequest.id, id));
  return request && readAppForUpdate(db, request.appId);
}

/** An open request, locked until the transaction ends; undefined if it is already closed or never existed. */
export async function lockOpenRequest(
  db: Queryable,
  id: string,
): Promise<{ readonly appId: string; readonly kind: RequestKind; readonly subject: string } | undefined> {
  const { appId, kind, subject } = accessRequest;
  const [open] = await orm(db)
    .select({ appId, kind, subject })
    .from(accessRequest)
    .where(and(eq(accessRequest.id, id), isOpen))
    .for("update");
  return open;
}

/** Closes an open request; undefined if it is already closed or never existed. */
export async function closeRequest(db: Queryable, id: string, isApproved: boolean, actor: string) {
  const { appId, kind, subject } = accessRequest;
  const [closed] = await orm(db)
    .update(accessRequest)
    .set({ decidedAt: now, decidedBy: actor, isApproved })
    .where(and(eq(accessRequest.id, id), isOpen))
    .returning({ appId, kind, subject });
  return closed;
}

/** Closes an app's open requests that were settled another way; false if there are none. */
export async function settleRequests(
  db: Queryable,
  appId: string,
  kind: RequestKind,
  subjects: readonly string[],
  actor: string,
): Promise<boolean> {
  const isSame = and(
    eq(accessRequest.appId, appId),
    eq(accessRequest.kind, kind),
    inArray(accessRequest.subject, [...subjects]),
  );
  const settled = await orm(db)
    .update(accessRequest)
    .set({ decidedAt: now, decidedBy: actor, isApproved: true })
    .where(and(isSame, isOpen))
    .returning({ id: accessRequest.id });
  return settled.length > 0;
}
