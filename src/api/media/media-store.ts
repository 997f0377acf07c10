/** The known state of media URLs and the queue of probes, in PostgreSQL. */

import { columnsOf } from "../db/columns.ts";
import type { Queryable } from "../db/database.ts";
import { nextStart } from "../jobs/next-start.ts";
import type { Variant } from "./storage/media-file-store.ts";

const mediaKinds = ["image", "video", "animation"] as const;
export type MediaKind = (typeof mediaKinds)[number];

export interface MediaUrl {
  readonly kind: MediaKind;
  readonly url: string;
}

/** A URL, and the host that serves it. */
export interface MediaToProbe extends MediaUrl {
  readonly host: string;
}

/** Notified whenever a probe is requested. */
export const MEDIA_CHANNEL = "vitrine_media";

// A URL that many tokens share, or that is requested repeatedly, is fetched from its host this often at most.
const SPACING = "interval '5 seconds'";
// How stale `seen_at` may become before it is written again; far below the age at which URLs are deleted.
const SEEN_AGAIN = "interval '1 day'";

/** SQL: how a URL is found in `vitrine.media`. */
export const urlHash = (url: string): string => `sha256(convert_to(${url}, 'UTF8'))`;

const HASH = urlHash("k.url");
// Always in the same order, so that two transactions never deadlock.
const rowsToProbe = `
  select distinct on (k.kind, ${HASH}) k.kind, ${HASH}, k.url, k.host
    from unnest($1::text[], $2::text[], $3::text[]) as k(kind, url, host) order by k.kind, ${HASH}`;

/** Requests a probe of each URL, known or not, on commit. Requests made before a probe starts share it. */
export async function enqueue(db: Queryable, media: readonly MediaToProbe[]): Promise<void> {
  if (media.length === 0) return;
  await db.query(
    `with requested as (
       insert into vitrine.media as m (kind, url_hash, url, host) ${rowsToProbe}
       on conflict (kind, url_hash) do update
          set wanted = greatest(m.wanted, m.started + 1), attempts = 0, host = excluded.host, seen_at = now(),
              not_before = case when m.wanted > m.started then m.not_before
                                else greatest(now(), ${nextStart("m.last_started_at", SPACING)}) end
        -- A probe may wait for its host for weeks, and what nobody names is deleted.
        where m.wanted <= m.started or m.seen_at < now() - ${SEEN_AGAIN}
       returning 1
     )
     select pg_notify('${MEDIA_CHANNEL}', '') from requested limit 1`,
    columnsOf(media, "kind", "url", "host"),
  );
}

/** Records that served documents name these URLs. Only those that were never probed are enqueued. */
export async function noteSeen(db: Queryable, media: readonly MediaToProbe[]): Promise<void> {
  if (media.length === 0) return;
  await db.query(
    `insert into vitrine.media as m (kind, url_hash, url, host) ${rowsToProbe}
     on conflict (kind, url_hash) do update set seen_at = now() where m.seen_at < now() - ${SEEN_AGAIN}`,
    columnsOf(media, "kind", "url", "host"),
  );
}

const imageRow = (column: string, url: string): string =>
  `(select ${column} from vitrine.media m where m.kind = 'image' and m.url_hash = ${urlHash(url)})`;

/** SQL: the number of an image's next probe, requested or not: what waits for it is answered by this one or a later one. */
export const nextProbe = (url: string): string =>
  `coalesce(${imageRow("case when m.wanted > m.started then m.wanted else m.started + 1 end", url)}, 1)`;

/** SQL: the picture that is shown for an image's URL, or null. */
export const shownFile = (url: string): string =>
  imageRow("case when m.status = 'accepted' then m.file end", url);

/** The result of the last probe. */
export interface MediaState extends MediaUrl {
  readonly status: "pending" | "accepted" | "rejected";
  readonly reason: string | null;
  readonly file: string | null;
  /** Of the source. */
  readonly format: string | null;
  readonly width: number | null;
  readonly height: number | null;
  readonly bytes: number | null;
  readonly leadsTo: string | null;
  /** Of the picture, with its variants, largest first. */
  readonly placeholder: string | null;
  readonly variants: readonly Variant[];
}

const VARIANTS = `(
  select coalesce(json_agg(json_build_object('name', v.name, 'type', v.type, 'width', v.width, 'height', v.height,
                                             'bytes', v.bytes) order by v.width desc), '[]')
    from vitrine.media_variant v where v.file = m.file and v.unused_since is null)`;

/** The URLs for which a probe was ever requested. */
export async function readStates(db: Queryable, media: readonly MediaUrl[]): Promise<MediaState[]> {
  if (media.length === 0) return [];
  return db.query<MediaState>(
    `select m.kind, m.url, m.status, m.reason, m.file, m.format, m.width, m.height, m.bytes, m.leads_to as "leadsTo",
            f.placeholder, ${VARIANTS} as variants
       from unnest($1::text[], $2::text[]) as k(kind, url)
       join vitrine.media m on m.kind = k.kind and m.url_hash = ${HASH}
       left join vitrine.media_file f on f.name = m.file`,
    columnsOf(media, "kind", "url"),
    "read media states",
  );
}

/**
 * SQL: for each URL of two parallel arrays, in their order and separated by commas, a text that changes whenever its
 * MediaState does; empty for a URL without one.
 */
export const mediaMarks = (kinds: string, urls: string): string => `
  array_to_string(array(
    select (select m.xmin::text || ' ' || coalesce(f.xmin::text, '') || ' ' || coalesce((
                     select string_agg(v.xmin::text, ' ' order by v.name) from vitrine.media_variant v where v.file = m.file), '')
              from vitrine.media m left join lateral (
                     select f.xmin from vitrine.media_file f where f.name = m.file) f on true
             where m.kind = k.kind and m.url_hash = ${HASH})
      from unnest(${kinds}::text[], ${urls}::text[]) with ordinality as k(kind, url, nth) order by nth), ',', '')`;
