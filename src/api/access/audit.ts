/** The audit log: who did what to what. Append-only. */

import type { Queryable } from "../db/database.ts";

/** Adds a row in the caller's transaction. */
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

export interface AuditRow {
  readonly id: string;
  readonly at: Date;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly detail: Readonly<Record<string, unknown>>;
}

/** Newest first; `before` is the id of the previous page's last row. */
export function readAudit(db: Queryable, limit: number, before?: string): Promise<AuditRow[]> {
  return db.query<AuditRow>(
    `select id::text, at, actor, action, subject, detail from vitrine.audit
      where $2::bigint is null or id < $2 order by id desc limit $1`,
    [limit, before ?? null],
  );
}
