/** Sessions, one-time links and nonces in PostgreSQL. Tokens are looked up by their SHA-256 and never stored. */

import type { Queryable } from "../../db/database.ts";
import { type DailyJob, deleteInBatches } from "../../jobs/daily.ts";

export async function addNonce(
  db: Queryable,
  nonce: string,
  purpose: string,
  seconds: number,
): Promise<void> {
  await db.query(
    "insert into vitrine.sign_in_nonce (nonce, purpose, expires_at) values ($1, $2, now() + $3::float8 * interval '1 second')",
    [nonce, purpose, seconds],
  );
}

/** True once for an unexpired nonce that was issued for this purpose. */
export async function takeNonce(db: Queryable, nonce: string, purpose: string): Promise<boolean> {
  const rows = await db.query<{ isLive: boolean }>(
    `delete from vitrine.sign_in_nonce where nonce = $1 and purpose = $2 returning expires_at > now() as "isLive"`,
    [nonce, purpose],
  );
  return rows[0]?.isLive === true;
}

export async function addSession(
  db: Queryable,
  hash: Buffer,
  address: string | null,
  seconds: number,
): Promise<void> {
  await db.query(
    "insert into vitrine.session (hash, address, expires_at) values ($1, $2, now() + $3::float8 * interval '1 second')",
    [hash, address, seconds],
  );
}

export async function findSession(
  db: Queryable,
  hash: Buffer,
): Promise<{ address: string | null; expiresAt: Date } | undefined> {
  const [row] = await db.query<{ address: string | null; expiresAt: Date }>(
    `select address, expires_at as "expiresAt" from vitrine.session where hash = $1 and expires_at > now()`,
    [hash],
  );
  return row;
}

export async function endSession(db: Queryable, hash: Buffer): Promise<void> {
  await db.query("delete from vitrine.session where hash = $1", [hash]);
}

/** Ends all sessions of a wallet, or with null all that a link started; returns how many. */
export async function endSessions(db: Queryable, address: string | null): Promise<number> {
  const rows = await db.query(
    "delete from vitrine.session where address is not distinct from $1 and expires_at > now() returning 1",
    [address],
  );
  return rows.length;
}

export async function addLink(db: Queryable, hash: Buffer, seconds: number): Promise<Date> {
  const [row] = await db.query<{ expiresAt: Date }>(
    `insert into vitrine.login_link (hash, expires_at) values ($1, now() + $2::float8 * interval '1 second')
     returning expires_at as "expiresAt"`,
    [hash, seconds],
  );
  if (!row) throw new Error("the link was not saved");
  return row.expiresAt;
}

/** True once for an unexpired link. */
export async function takeLink(db: Queryable, hash: Buffer): Promise<boolean> {
  const rows = await db.query(
    "update vitrine.login_link set used_at = now() where hash = $1 and used_at is null and expires_at > now() returning 1",
    [hash],
  );
  return rows.length > 0;
}

const ended = (table: string): string =>
  `delete from ${table} where ctid in (
     select ctid from ${table} where expires_at < now() - interval '1 day' limit $1) returning 1`;

export const forgetOldSessions: DailyJob = {
  name: "delete old sessions",
  async run(database) {
    let rows = 0;
    for (const table of ["vitrine.session", "vitrine.sign_in_nonce", "vitrine.login_link"])
      rows += await deleteInBatches(database, ended(table));
    return rows;
  },
};
