/** Statements that take too long, by how many rows they delete or change. */

import type { Database } from "../../../src/api/db/database.ts";

const TIMEOUT_MS = 200;
const ROW_SECONDS = 0.002;

export interface SlowRows {
  readonly database: Database;
  /** How many statements have taken too long. */
  timeouts(): number;
}

/**
 * Each row of the table takes two milliseconds to delete or update, and a statement outside a transaction times out after
 * a fifth of a second.
 */
export async function withSlowRows(database: Database, table: string): Promise<SlowRows> {
  await database.query(`
    create or replace function public.take_long() returns trigger language plpgsql as $$
    begin
      perform pg_sleep(${ROW_SECONDS});
      return coalesce(new, old);
    end $$;
    create trigger take_long before delete or update on ${table} for each row execute function public.take_long()`);
  let timeouts = 0;
  return {
    timeouts: () => timeouts,
    database: {
      ...database,
      query: (sql, parameters, name) =>
        database
          .transaction(async (tx) => {
            await tx.query(`set local statement_timeout = ${TIMEOUT_MS}`);
            return tx.query<never>(sql, parameters, name);
          })
          .catch((error) => {
            if (error.code === "57014") timeouts++;
            throw error;
          }),
    },
  };
}
