/** Two transactions that meet: one locks rows until its test ends it, and the other waits for them. */

import type { Database } from "../../src/api/db/database.ts";
import { countWaiting } from "../api/metadata/traits-harness.ts";
import { eventually } from "./eventually.ts";
import { createBarrier } from "./worker.ts";

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
