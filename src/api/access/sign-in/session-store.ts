/** Sessions, one-time links and nonces in PostgreSQL. Tokens are looked up by their SHA-256 and never stored. */

import { and, eq, gt, isNull, type SQL, sql } from "drizzle-orm";
import type { Queryable } from "../../db/database.ts";
import { inSeconds, now, orm } from "../../db/orm.ts";
import { type DailyJob, repeatInBatches } from "../../jobs/daily.ts";
import { loginLink, session, signInNonce } from "../tables.ts";

export async function addNonce(
  db: Queryable,
  nonce: string,
  purpose: string,
  seconds: number,
): Promise<void> {
  await orm(db)
    .insert(signInNonce)
    .values({ nonce, purpose, expiresAt: inSeconds(seconds) });
}

/** True once for an unexpired nonce that was issued for this purpose. */
export async function takeNonce(db: Queryable, nonce: string, purpose: string): Promise<boolean> {
  const [taken] = await orm(db)
    .delete(signInNonce)
    .where(and(eq(signInNonce.nonce, nonce), eq(signInNonce.purpose, purpose)))
    .returning({ isLive: sql<boolean>`${gt(signInNonce.expiresAt, now)}`.as("is_live") });
  return taken?.isLive === true;
}

export async function addSession(
  db: Queryable,
  hash: Buffer,
  address: string | null,
  seconds: number,
): Promise<void> {
  await orm(db)
    .insert(session)
    .values({ hash, address, expiresAt: inSeconds(seconds) });
}

const isLive = (hash: Buffer): SQL | undefined => and(eq(session.hash, hash), gt(session.expiresAt, now));

export async function findSession(db: Queryable, hash: Buffer) {
  const { address, expiresAt } = session;
  const [found] = await orm(db).select({ address, expiresAt }).from(session).where(isLive(hash));
  return found;
}

export async function endSession(db: Queryable, hash: Buffer): Promise<void> {
  await orm(db).delete(session).where(eq(session.hash, hash));
}

/** Ends all sessions of a wallet, or with null all that a link started; returns how many. */
export async function endSessions(db: Queryable, address: string | null): Promise<number> {
  const isTheirs = address === null ? isNull(session.address) : eq(session.address, address);
  const ended = await orm(db)
    .delete(session)
    .where(and(isTheirs, gt(session.expiresAt, now)))
    .returning({ hash: session.hash });
  return ended.length;
}

export async function addLink(db: Queryable, hash: Buffer, seconds: number): Promise<Date> {
  const [added] = await orm(db)
    .insert(loginLink)
    .values({ hash, expiresAt: inSeconds(seconds) })
    .returning({ expiresAt: loginLink.expiresAt });
  if (!added) throw new Error("the link was not saved");
  return added.expiresAt;
}

/** True once for an unexpired link. */
export async function takeLink(db: Queryable, hash: Buffer): Promise<boolean> {
  const taken = await orm(db)
    .update(loginLink)
    .set({ usedAt: now })
    .where(and(eq(loginLink.hash, hash), isNull(loginLink.usedAt), gt(loginLink.expiresAt, now)))
    .returning({ hash: loginLink.hash });
  return taken.length > 0;
}

const ended = (table: string): string =>
  `delete from ${table} where ctid in (
     select ctid from ${table} where expires_at < now() - interval '1 day' limit $1) returning 1`;

export const forgetOldSessions: DailyJob = {
  name: "delete old sessions",
  async run(database) {
    let rows = 0;
    for (const table of ["vitrine.session", "vitrine.sign_in_nonce", "vitrine.login_link"])
      rows += await repeatInBatches(database, ended(table));
    return rows;
  },
};
