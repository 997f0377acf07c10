/**
 * Typed statements for plain reads and writes (drizzle), over the same connections, transactions and retries as SQL. A
 * module declares the tables that it uses this way beside its store; test/api/db/declarations.test.ts compares the
 * declarations with the database.
 */

import { type SQL, sql } from "drizzle-orm";
import { customType, pgSchema, timestamp } from "drizzle-orm/pg-core";
import { drizzle, type PgRemoteDatabase } from "drizzle-orm/pg-proxy";
import type { Queryable } from "./database.ts";

/** Our schema; declare its tables by `vitrine.table(…)`. */
export const vitrine = pgSchema("vitrine");

export const bytea = customType<{ data: Buffer }>({ dataType: () => "bytea" });
export const timestamptz = () => timestamp({ withTimezone: true, mode: "date" });

export const now: SQL<Date> = sql`now()`;
export const inSeconds = (seconds: number): SQL<Date> =>
  sql`now() + ${seconds}::float8 * interval '1 second'`;

const builders = new WeakMap<Queryable, PgRemoteDatabase>();

/**
 * Statements on `db`; a statement runs only when it is awaited. The columns of a select must have distinct names in the
 * database, since rows arrive by name.
 */
export function orm(db: Queryable): PgRemoteDatabase {
  const known = builders.get(db);
  if (known) return known;
  const made = drizzle(
    async (text, parameters, method) => {
      const rows = await db.query<Record<string, unknown>>(text, parameters);
      return { rows: method === "all" ? rows.map((row) => Object.values(row)) : rows };
    },
    { casing: "snake_case" },
  );
  builders.set(db, made);
  return made;
}
