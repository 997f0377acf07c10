/** The files that images are served from, in PostgreSQL. */

import type { Queryable } from "../../db/database.ts";

export interface MediaFile {
  readonly name: string;
  readonly format: string;
  readonly width: number;
  readonly height: number;
}

/** The file that was rendered from these exact bytes before. */
export async function findFile(db: Queryable, sourceHash: string): Promise<MediaFile | undefined> {
  const [file] = await db.query<MediaFile>(
    `update vitrine.media_file set unused_since = null
      where name = (select name from vitrine.media_file where source_hash = $1 limit 1)
     returning name, format, width, height`,
    [sourceHash],
  );
  return file;
}

/** Registers the name before the file is written, so that nobody deletes it meanwhile. */
export async function addFile(db: Queryable, file: MediaFile, sourceHash: string): Promise<void> {
  await db.query(
    `insert into vitrine.media_file (name, source_hash, format, width, height) values ($1, $2, $3, $4, $5)
     on conflict (name) do update set unused_since = null`,
    [file.name, sourceHash, file.format, file.width, file.height],
  );
}

/**
 * The file is missing on disk: its images are rendered again from their sources, each at most once a minute, whoever
 * requests the file.
 */
export async function missFile(db: Queryable, name: string): Promise<void> {
  await db.query(
    `update vitrine.media set wanted = greatest(wanted, started + 1), source_hash = null, attempts = 0, not_before = now()
      where file = $1 and (last_started_at is null or last_started_at < now() - interval '1 minute')`,
    [name],
  );
}
