/** Deletes rows of the media tables that are no longer needed. */

import type { Database, Queryable } from "../../db/database.ts";

// Two passes over all served documents may fail before an image in use would be deleted.
const FORGOTTEN_AFTER = "interval '7 days'";
// By then, pages and caches no longer use the URL of a replaced image.
const UNUSED_KEPT = "interval '1 day'";

/** Deletes at most $1 URLs that no served document has named for a week. */
export const forgottenMedia = `
  delete from vitrine.media where (kind, url_hash) in (
    select kind, url_hash from vitrine.media
     where seen_at < now() - ${FORGOTTEN_AFTER} and (lease is null or leased_until < now()) order by seen_at limit $1)
     and seen_at < now() - ${FORGOTTEN_AFTER}
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

/** Deletes up to `limit` files that were unused for a day, with `remove`; returns how many. */
export function removeUnusedFiles(
  database: Database,
  limit: number,
  remove: (name: string) => Promise<void>,
): Promise<number> {
  return database.transaction(async (tx) => {
    const rows = await tx.query<{ name: string }>(
      `delete from vitrine.media_file where name in (
         select f.name from vitrine.media_file f
          where f.unused_since < now() - ${UNUSED_KEPT}
            and not exists (select from vitrine.media m where m.file = f.name)
          order by f.unused_since limit $1 for update skip locked)
       returning name`,
      [limit],
    );
    // The row locks prevent other processes from storing the same content now, only to lose it.
    for (const { name } of rows) await remove(name);
    return rows.length;
  });
}
