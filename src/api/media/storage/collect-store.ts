/** Deletes rows of the media tables that are no longer needed. */

import type { Database, Queryable } from "../../db/database.ts";

// Two passes over all served documents may fail before an image in use would be deleted.
const FORGOTTEN_AFTER = "interval '7 days'";
// By then, pages and caches no longer use the URL of a replaced image.
const UNUSED_KEPT = "interval '1 day'";

/**
 * Deletes at most $1 URLs that no served document has named for a week. By where the rows are, which their locks keep: found
 * again by their keys, all that are as old may be read for each.
 */
export const forgottenMedia = `
  delete from vitrine.media where ctid = any(array(
    select ctid from vitrine.media
     where seen_at < now() - ${FORGOTTEN_AFTER} and (lease is null or leased_until < now())
     order by seen_at limit $1 for update skip locked))
  returning 1`;

/** Records for up to `limit` files after the name `after` whether they are in use; returns the last name, if any. */
export async function markUnusedFiles(
  db: Queryable,
  after: string,
  limit: number,
): Promise<string | undefined> {
  const [last] = await db.query<{ name: string | null }>(
    `with page as (
       select name from vitrine.media_file where name > $1 order by name limit $2
     ), marked as (
       update vitrine.media_file f set unused_since = case when f.unused_since is null then now() end
         from page where f.name = page.name
          and (f.unused_since is null) <> exists (select from vitrine.media m where m.file = f.name)
     )
     select max(name) as name from page`,
    [after, limit],
  );
  return last?.name ?? undefined;
}

/**
 * Deletes up to `limit` pictures that were unused for a day, and as many variants that were replaced so long ago, with
 * `remove`; returns how many rows that were. A variant that another picture shares stays on the disk.
 */
export function removeUnusedFiles(
  database: Database,
  limit: number,
  remove: (names: readonly string[]) => Promise<void>,
): Promise<number> {
  return database.transaction(async (tx) => {
    const rows = await tx.query<{ name: string; isShared: boolean }>(
      `with pictures as (
         delete from vitrine.media_file where name in (
           select f.name from vitrine.media_file f
            where f.unused_since < now() - ${UNUSED_KEPT}
              and not exists (select from vitrine.media m where m.file = f.name)
            order by f.unused_since limit $1 for update skip locked)
         returning name
       ), their_variants as (
         delete from vitrine.media_variant where file in (select name from pictures) returning file, name
       ), replaced as (
         delete from vitrine.media_variant where ctid = any(array(
           select ctid from vitrine.media_variant
            where unused_since < now() - ${UNUSED_KEPT} order by unused_since limit $1 for update skip locked))
         returning file, name
       ), variants as (
         select * from their_variants union all select * from replaced
       )
       select name, false as "isShared" from pictures
       union all
       -- Counted, since PostgreSQL may answer "exists" by reading all variants there are.
       select g.name, (select count(*) from vitrine.media_variant o where o.name = g.name) > count(*) over (partition by g.name)
         from variants g`,
      [limit],
    );
    // The row locks prevent other processes from storing the same picture now, only to lose it. A variant that another
    // picture comes to share at this moment is lost, and made again when it is asked for.
    await remove(rows.flatMap(({ name, isShared }) => (isShared ? [] : [name])));
    return rows.length;
  });
}
