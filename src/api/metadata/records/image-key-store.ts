/** Which tokens serve an image: by a part of the media table's key, so that a probe finds them. */

import { hash } from "node:crypto";
import { type TokenRef, tokenKey } from "../../../domain/token-ref.ts";
import { columnsOf } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import type { DailyJob } from "../../jobs/daily.ts";
import { walkInPages } from "../../jobs/walk-in-pages.ts";
import { readDocuments, SMALL_METADATA, type StoredMetadata } from "./served-documents.ts";

/** Of a document without an image. No URL hashes to it but by chance. */
const NO_IMAGE = "0";

/** The first eight bytes of the URL's SHA-256, as PostgreSQL's bigint. */
export const imageKey = (url: string | null): string =>
  url === null ? NO_IMAGE : String(hash("sha256", url, "buffer").readBigInt64BE());

/** The image that each token's served document names, by `tokenKey`; tokens without one are missing. */
export async function readServedImages(
  db: Queryable,
  tokens: readonly TokenRef[],
): Promise<ReadonlyMap<string, string>> {
  if (tokens.length === 0) return new Map();
  const rows = await db.query<StoredMetadata & { chainId: string; collection: string; tokenId: string }>(
    `select t.chain_id as "chainId", t.collection, t.token_id as "tokenId", ${SMALL_METADATA}
       from unnest($1::bigint[], $2::text[], $3::numeric[]) as k(chain_id, collection, token_id)
       join vitrine.token t
         on (t.chain_id, t.collection, t.token_id) = (k.chain_id, k.collection, k.token_id)
       join vitrine.version v on v.id = t.served_version and v.metadata is not null`,
    columnsOf(tokens, "chainId", "collection", "tokenId"),
    "read served images",
  );
  const images = new Map<string, string>();
  for await (const page of readDocuments(db, rows)) {
    for (const { row, document } of page) {
      if (document.image !== null)
        images.set(tokenKey({ ...row, chainId: Number(row.chainId) }), document.image);
    }
  }
  return images;
}

// JSON may name a character that PostgreSQL's text can't hold; such an image is found at the next read.
const missingKeys = `
  with page as materialized (
    select t.chain_id, t.collection, t.token_id, t.served_version, t.image_key from vitrine.token t
     where (t.chain_id, t.collection, t.token_id) > ($2::bigint, $3::text, $4::numeric)
     order by t.chain_id, t.collection, t.token_id limit $1
  ), filled as (
    update vitrine.token t
       set image_key = coalesce(('x' || left(encode(sha256(convert_to(k.image, 'UTF8')), 'hex'), 16))::bit(64)::bigint, ${NO_IMAGE})
      from (select p.chain_id, p.collection, p.token_id,
                   case when strpos(v.metadata, '\\u0000') = 0 then v.metadata::json ->> 'image' end as image
              from page p join vitrine.version v on v.id = p.served_version
             where p.image_key is null) k
     where (t.chain_id, t.collection, t.token_id) = (k.chain_id, k.collection, k.token_id) and t.image_key is null
    returning 1)
  select array[chain_id::text, collection, token_id::text] as place, (select count(*)::int from filled) as changed
    from page order by chain_id desc, collection desc, token_id desc limit 1`;

/** For documents that were served before the keys were. */
export const fillImageKeys: DailyJob = {
  name: "fill in image keys",
  run: (database) => walkInPages(database, missingKeys, ["0", "", "0"]),
};
