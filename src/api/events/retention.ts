/** How long events are kept (design: "Event stream"). */

import type { Database } from "../db/database.ts";
import { type DailyJob, deleteInBatches } from "../jobs/daily.ts";

// Ids have no gaps, so a deletion removes the oldest ids. Events that a reorg may still revert are kept, however old.
const newestOld = `
  select least((select id from vitrine.event where at < now() - interval '7 days' order by at desc, id desc limit 1),
               (select min(id) - 1 from vitrine.event where open)) as id`;

export const forgetOldEvents: DailyJob = {
  name: "delete old events",
  async run(database: Database) {
    const [row] = await database.query<{ id: string | null }>(newestOld);
    if (!row || row.id === null) return 0;
    const old = `select id from vitrine.event where id <= ${BigInt(row.id)} order by id limit $1`;
    return deleteInBatches(database, `delete from vitrine.event where id in (${old}) returning 1`);
  },
};
