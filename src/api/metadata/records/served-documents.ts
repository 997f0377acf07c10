/** Served metadata read by bytes: most documents are small, and some have two megabytes. */

import { createYield } from "../../async/yield-to-event-loop.ts";
import type { Queryable } from "../../db/database.ts";
import { lookUp } from "../../db/look-up.ts";
import type { Metadata } from "../document/normalise.ts";
import { bytePages } from "./byte-pages.ts";

// A few hundred of these are read with their tokens.
const SMALL_BYTES = 8 * 1024;

/** SQL: columns of the version `v` for `readDocuments`; the metadata itself only if it is small. */
export const SMALL_METADATA = `v.id as "versionId", octet_length(v.metadata) as bytes,
  case when octet_length(v.metadata) <= ${SMALL_BYTES} then v.metadata end as metadata`;

/** A row with these columns. */
export interface StoredMetadata {
  readonly versionId: string;
  readonly bytes: number;
  readonly metadata: string | null;
}

/**
 * The documents of these rows, page by page: the small ones first, and then large ones, of which each page holds two megabytes
 * or one document. Yields to the event loop between documents.
 */
export async function* readDocuments<Row extends StoredMetadata>(
  db: Queryable,
  rows: readonly Row[],
): AsyncGenerator<readonly { readonly row: Row; readonly document: Metadata }[], void> {
  const yieldToEventLoop = createYield();
  const parse = async (page: readonly Row[], textOf: (row: Row) => string | null | undefined) => {
    const parsed: { readonly row: Row; readonly document: Metadata }[] = [];
    for (const row of page) {
      const text = textOf(row);
      if (text) parsed.push({ row, document: JSON.parse(text) as Metadata });
      await yieldToEventLoop();
    }
    return parsed;
  };
  const small = rows.filter(({ metadata }) => metadata !== null);
  if (small.length > 0) yield await parse(small, ({ metadata }) => metadata);
  const large = rows.filter(({ metadata }) => metadata === null);
  for (const page of bytePages(large, ({ bytes }) => bytes)) {
    const texts = await readTexts(db, page);
    yield await parse(page, ({ versionId }) => texts.get(versionId));
  }
}

async function readTexts(
  db: Queryable,
  page: readonly StoredMetadata[],
): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ id: string; metadata: string }>(
    `select v.id, v.metadata from unnest($1::bigint[]) k(id)
      cross join ${lookUp("id, metadata", "vitrine.version", "id = k.id")} v`,
    [page.map(({ versionId }) => versionId)],
  );
  return new Map(rows.map(({ id, metadata }) => [id, metadata]));
}
