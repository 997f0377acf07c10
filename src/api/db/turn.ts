/** Work that one process at a time does. */

import type { Queryable } from "./database.ts";

/** True if this transaction has the turn of this name, which ends with the transaction; false while another one has it. */
export async function takeTurn(tx: Queryable, name: string): Promise<boolean> {
  const [row] = await tx.query<{ mine: boolean }>(
    "select pg_try_advisory_xact_lock(hashtextextended($1, 0)) as mine",
    [`vitrine ${name}`],
  );
  return row?.mine === true;
}
