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

/** Whether an operator has withdrawn a permission of an app, at any time. */
export async function wasWithdrawn(
  db: Queryable,
  appId: string,
  permission: { readonly kind: string; readonly subject: string },
): Promise<boolean> {
  const [found] = await orm(db)
    .select({ id: audit.id })
    .from(audit)
    .where(
      and(
        eq(audit.action, WITHDRAWAL),
        eq(audit.subject, appId),
        sql`${audit.detail} @> ${JSON.stringify(permission)}::jsonb`,
      ),
    )
    .limit(1);
  return found !== undefined;
}
