/** Two transactions that meet: one locks rows until its test ends it, and the other waits for them. */

import type { Database } from "../../../src/api/db/database.ts";
import { eventually } from "../eventually.ts";
import { createBarrier } from "../processes/worker.ts";

/** Takes the locks of a statement, and returns what ends their transaction. */
export async function keepLocked(database: Database, sql: string): Promise<() => Promise<void>> {
  const [locked, release] = [createBarrier(), createBarrier()];
  const transaction = database.transaction(async (tx) => {
    await tx.query(sql);
    locked.open();
    await release.opened;
  });
  await Promise.race([locked.opened, transaction]);
  return async () => {
    release.open();
    await transaction;
  };
}

/** Until some transaction of this database waits for a lock. */
export async function untilWaiting(database: Database): Promise<void> {
  await eventually(
    () => countWaiting(database),
    (waiting) => waiting > 0,
  );
}

/** How many sessions of the database wait for a lock. */
export async function countWaiting(database: Database): Promise<number> {
  const [row] = await database.query<{ waiting: number }>(
    `select count(distinct pid)::int as waiting from pg_locks join pg_stat_activity using (pid)
      where not granted and datname = current_database()`,
  );
  return row?.waiting ?? 0;
}
