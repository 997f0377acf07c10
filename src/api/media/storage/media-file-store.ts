/** The files that images are served from, in PostgreSQL. */

import { columnsOf } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import { isPaused } from "../../jobs/hosts.ts";

export interface MediaFile {
  readonly name: string;
  /** Of the source, with its width and height. */
  readonly format: string;
  readonly width: number;
  readonly height: number;
}

/** A file and what must be on the disk for it. */
export interface StoredFile extends MediaFile {
  readonly variants: readonly string[];
  /** False if its variants were never made, or made by earlier rules. */
  readonly isCurrent: boolean;
}

/**
 * The rules by which pictures and their variants are made. Increase it when they change: pictures are rendered again at
 * their next probe.
 */
const VARIANT_RULES = 2;

const VARIANTS = `array(select v.name from vitrine.media_variant v where v.file = f.name and v.unused_since is null)`;
const STORED = `f.name, f.format, f.width, f.height, f.variant_rules = ${VARIANT_RULES} as "isCurrent", ${VARIANTS} as variants`;

/** The file of this name. */
export async function readFile(db: Queryable, name: string): Promise<StoredFile | undefined> {
  const [file] = await db.query<StoredFile>(`select ${STORED} from vitrine.media_file f where f.name = $1`, [
    name,
  ]);
  return file;
}

/** The file that was rendered from these exact bytes before. */
export async function findFile(db: Queryable, sourceHash: string): Promise<StoredFile | undefined> {
  const [file] = await db.query<StoredFile>(
    `update vitrine.media_file f set unused_since = null
      where f.name = (select name from vitrine.media_file where source_hash = $1 order by variant_rules desc limit 1)
     returning ${STORED}`,
    [sourceHash],
  );
  return file;
}

export interface Variant {
  readonly name: string;
  /** The media type. */
  readonly type: string;
  readonly width: number;
  readonly height: number;
  readonly bytes: number;
}

/** A file as it was rendered. */
export interface NewFile extends MediaFile {
  readonly sourceHash: string;
  readonly placeholder: string | null;
  /** In place of those it had; null if they could not be made this time. */
  readonly variants: readonly Variant[] | null;
}

/** Registers the names before the files are written, so that nobody deletes them meanwhile. */
export async function addFile(db: Queryable, file: NewFile): Promise<void> {
  const { name, sourceHash, format, width, height, placeholder } = file;
  const variants = file.variants ?? [];
  await db.query(
    `with file as (
       insert into vitrine.media_file (name, source_hash, format, width, height, placeholder, variant_rules)
       values ($1, $2, $3, $4, $5, $6, $7)
       on conflict (name) do update
          set unused_since = null, placeholder = excluded.placeholder, variant_rules = excluded.variant_rules
     ), replaced as (
       update vitrine.media_variant set unused_since = now()
        where file = $1 and unused_since is null and name <> all($8::text[])
     )
     insert into vitrine.media_variant (file, name, type, width, height, bytes)
     select $1, v.name, v.type, v.width, v.height, v.bytes
       from unnest($8::text[], $9::text[], $10::int[], $11::int[], $12::int[]) as v(name, type, width, height, bytes)
     on conflict (file, name) do update set unused_since = null`,
    [
      ...[name, sourceHash, format, width, height, placeholder],
      file.variants === null ? 0 : VARIANT_RULES,
      ...columnsOf(variants, "name", "type", "width", "height", "bytes"),
    ],
  );
}

// One probe that succeeds writes the file for all URLs that share it.
const PROBED_FOR_FILE = 10;
const isQueued = (row: string): string =>
  `(${row}.lease is not null or (${row}.wanted > ${row}.done and ${row}.not_before <= now()))`;

/**
 * The file, a picture or a variant, is missing on disk: it is rendered again from the sources of its images, each at most
 * once a minute, whoever requests the file. Of many images, a few are probed at a time: those of hosts that are not paused,
 * then those probed longest ago. Others follow once these have failed. A start in the future is of a clock that has stepped
 * back since.
 */
export async function missFile(db: Queryable, name: string): Promise<void> {
  // Rows are locked only after the few are chosen: a sort of locked rows sorts all of them. At the same moment as another
  // call, this one finds the same few, and marks no others.
  await db.query(
    `with few as materialized (
       select m.kind, m.url_hash from vitrine.media m left join vitrine.host p on p.host = m.host
        where m.file = any(array(
                select $1 union all select file from vitrine.media_variant where name = $1 and unused_since is null))
          and (${isQueued("m")} or m.last_started_at is null or m.last_started_at not between now() - interval '1 minute' and now())
        order by ${isPaused("p")}, ${isQueued("m")} desc, m.last_started_at nulls first limit ${PROBED_FOR_FILE}
     ), marked as materialized (
       select m.kind, m.url_hash from few join vitrine.media m using (kind, url_hash)
        where not ${isQueued("m")} for update of m skip locked
     )
     update vitrine.media m
        set wanted = greatest(m.wanted, m.started + 1), source_hash = null, attempts = 0, not_before = now()
       from marked where (m.kind, m.url_hash) = (marked.kind, marked.url_hash)`,
    [name],
  );
}
