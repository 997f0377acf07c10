/** How long events are kept. */

import type { Database, Queryable } from "../db/database.ts";
import { type DailyJob, repeatInBatches } from "../jobs/daily.ts";

// Ids have no gaps, so a deletion removes the oldest ids. Events that a reorg may still revert are kept, however old, unless
// nobody follows their chain any more; and so are those above `$1`, which others have yet to read.
const newestOld = `
  select least(old.id, (select min(e.id) - 1 from vitrine.event e
                        where e.open and exists (select from vitrine.event_feed f where f.chain_id = e.chain_id)), $1::bigint) as id
    -- No row while none is old: PostgreSQL's least() passes over a null.
    from (select id from vitrine.event where at < now() - interval '7 days' order by at desc, id desc limit 1) old`;

/** `readPosition` returns the id up to which every other reader of the log has read. */
export const forgetOldEvents = (readPosition: (db: Queryable) => Promise<number>): DailyJob => ({
  name: "delete old events",
  async run(database: Database) {
    // A chain that comes back later starts anew: what it had before is history then.
    await database.query("delete from vitrine.event_feed where seen_at < now() - interval '30 days'");
    const [row] = await database.query<{ id: string }>(newestOld, [await readPosition(database)]);
    if (!row) return 0;
    const old = `select id from vitrine.event where id <= ${BigInt(row.id)} order by id limit $1`;
    return repeatInBatches(database, `delete from vitrine.event where id in (${old}) returning 1`);
  },
});
