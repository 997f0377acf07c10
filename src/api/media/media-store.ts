/** What is known of the URLs of images, videos and animations, in PostgreSQL; and which are wanted. */

import type { Queryable } from "../db/database.ts";

export const mediaKinds = ["image", "video", "animation"] as const;
export type MediaKind = (typeof mediaKinds)[number];

export interface MediaUrl {
  readonly kind: MediaKind;
  readonly url: string;
}

/** A URL, and who is asked for it. */
export interface MediaToProbe extends MediaUrl {
  readonly host: string;
}

/** Woken whenever something is wanted. */
export const MEDIA_CHANNEL = "vitrine_media";

// A URL that many tokens share, or that is asked for again and again, is asked of its host this often at most.
const SPACING = "interval '5 seconds'";
// How stale `seen_at` may get before it is written: collecting spares what was seen much later than this.
const SEEN_AGAIN = "interval '1 day'";

const HASH = "sha256(convert_to(k.url, 'UTF8'))";
// In one order everywhere, so that two transactions never wait for each other.
const rowsToProbe = `
  select distinct on (k.kind, ${HASH}) k.kind, ${HASH}, k.url, k.host
    from unnest($1::text[], $2::text[], $3::text[]) as k(kind, url, host) order by k.kind, ${HASH}`;
const columnsOf = (media: readonly MediaToProbe[]): [string[], string[], string[]] => [
  media.map(({ kind }) => kind),
  media.map(({ url }) => url),
  media.map(({ host }) => host),
];

/** Asks for a look at each, known or not, when the transaction commits. Requests that meet before the look share it. */
export async function enqueue(db: Queryable, media: readonly MediaToProbe[]): Promise<void> {
  if (media.length === 0) return;
  await db.query(
    `with wanted as (
       insert into vitrine.media as m (kind, url_hash, url, host) ${rowsToProbe}
       on conflict (kind, url_hash) do update
          set wanted = m.started + 1, attempts = 0, host = excluded.host, seen_at = now(),
              not_before = greatest(now(), m.last_started_at + ${SPACING})
        where m.wanted <= m.started
       returning 1
     )
     select pg_notify('${MEDIA_CHANNEL}', '') from wanted limit 1`,
    columnsOf(media),
  );
}

/** Notes that served documents name these. Those that nobody has looked at are wanted; the others are left in peace. */
export async function noteSeen(db: Queryable, media: readonly MediaToProbe[]): Promise<void> {
  if (media.length === 0) return;
  await db.query(
    `insert into vitrine.media as m (kind, url_hash, url, host) ${rowsToProbe}
     on conflict (kind, url_hash) do update set seen_at = now() where m.seen_at < now() - ${SEEN_AGAIN}`,
    columnsOf(media),
  );
}

/** What the last look found. */
export interface MediaState extends MediaUrl {
  readonly status: "pending" | "accepted" | "rejected";
  readonly reason: string | null;
  readonly file: string | null;
  readonly leadsTo: string | null;
}

/** Those of the URLs that have ever been wanted. */
export async function readStates(db: Queryable, media: readonly MediaUrl[]): Promise<MediaState[]> {
  if (media.length === 0) return [];
  return db.query<MediaState>(
    `select m.kind, m.url, m.status, m.reason, m.file, m.leads_to as "leadsTo"
       from unnest($1::text[], $2::text[]) as k(kind, url)
       join vitrine.media m on m.kind = k.kind and m.url_hash = ${HASH}`,
    [media.map(({ kind }) => kind), media.map(({ url }) => url)],
  );
}
