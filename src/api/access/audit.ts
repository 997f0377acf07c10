/** The audit log: who did what to what. Append-only. */

import { and, desc, eq, lt, sql } from "drizzle-orm";
import type { Queryable } from "../db/database.ts";
import { orm } from "../db/orm.ts";
import { audit } from "./tables.ts";

/** The action under which a withdrawn permission is logged. */
export const WITHDRAWAL = "permissions.withdraw";

export type AuditRow = typeof audit.$inferSelect;

/** Adds a row in the caller's transaction. */
export async function addAudit(
  db: Queryable,
  actor: string,
  action: string,
  subject: string,
  detail: object,
): Promise<void> {
  await orm(db)
    .insert(audit)
    .values({ actor, action, subject, detail: { ...detail } });
}

/** Newest first; `before` is the id of the previous page's last row. */
export async function readAudit(db: Queryable, limit: number, before?: string): Promise<AuditRow[]> {
  return orm(db)
    .select()
    .from(audit)
    .where(before === undefined ? undefined : lt(audit.id, BigInt(before)))
    .orderBy(desc(audit.id))
    .limit(limit);
}

/** Whether something was done to a subject, at any time, with at least this `detail`. */
export async function wasAudited(
  db: Queryable,
  action: string,
  subject: string,
  detail: object = {},
): Promise<boolean> {
  const hasDetail = sql`${audit.detail} @> ${JSON.stringify(detail)}::jsonb`;
  const [found] = await orm(db)
    .select({ id: audit.id })
    .from(audit)
    .where(and(eq(audit.action, action), eq(audit.subject, subject), hasDetail))
    .limit(1);
  return found !== undefined;
}

/** Whether an operator has withdrawn a permission of an app, at any time. */
export const wasWithdrawn = (
  db: Queryable,
  appId: string,
  permission: { readonly kind: string; readonly subject: string },
): Promise<boolean> => wasAudited(db, WITHDRAWAL, appId, permission);
