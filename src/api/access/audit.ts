/** The audit log: who did what to what. Append-only. */

import { desc, lt } from "drizzle-orm";
import type { Queryable } from "../db/database.ts";
import { orm } from "../db/orm.ts";
import { audit } from "./tables.ts";

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
