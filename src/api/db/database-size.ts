/** How much space the database takes. */

import type { Queryable } from "./database.ts";

/** In bytes: all schemas of the connected database, with their indexes. */
export async function readDatabaseBytes(db: Queryable): Promise<number> {
  const [row] = await db.query<{ bytes: string }>(
    "select pg_database_size(current_database())::text as bytes",
  );
  return Number(row?.bytes ?? 0);
}
