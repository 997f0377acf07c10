/** Collection information, one row per collection, in PostgreSQL. */

import { type ContractRef, collectionKey } from "../../../domain/token-ref.ts";
import { columnsOf } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import type { Information } from "./information-schema.ts";

export interface StoredInformation {
  readonly information: Information;
  readonly updatedAt: Date;
}

/** The stored information of these collections, by `collectionKey`. */
export async function readInformation(
  db: Queryable,
  collections: readonly ContractRef[],
): Promise<ReadonlyMap<string, StoredInformation>> {
  const rows = await db.query<{ chainId: string; address: string; body: string; updatedAt: Date }>(
    `select i.chain_id as "chainId", i.collection as address, i.body, i.updated_at as "updatedAt"
       from unnest($1::bigint[], $2::text[]) as k(chain_id, collection)
       join vitrine.collection_information i using (chain_id, collection)`,
    columnsOf(collections, "chainId", "address"),
    "read information",
  );
  return new Map(
    rows.map(({ chainId, address, body, updatedAt }) => [
      collectionKey({ chainId: Number(chainId), address }),
      { information: JSON.parse(body) as Information, updatedAt },
    ]),
  );
}

/** The collections whose makers gave them one of these slugs. */
export async function readBySlugs(
  db: Queryable,
  slugs: readonly string[],
): Promise<(ContractRef & { readonly slug: string })[]> {
  const rows = await db.query<{ chainId: string; address: string; slug: string }>(
    `select chain_id as "chainId", collection as address, slug from vitrine.collection_information where slug = any($1)`,
    [slugs],
    "read by slugs",
  );
  return rows.map((row) => ({ ...row, chainId: Number(row.chainId) }));
}

/** A record as a writer has read it: `updatedAt` in ISO 8601 with milliseconds; null for none. */
export interface ReadState {
  readonly updatedAt: string | null;
}

/**
 * Replaces the stored record as a whole; with `since`, only if the record is still as it was read then. Returns the time,
 * or why nothing was stored: another collection has the slug, or the record has changed.
 */
export async function replaceInformation(
  db: Queryable,
  { chainId, address }: ContractRef,
  information: Information,
  by: string,
  since?: ReadState,
): Promise<Date | "slug_taken" | "changed"> {
  try {
    // A millisecond apart at least, so that no two records of a collection are read with the same time.
    const [row] = await db.query<{ updatedAt: Date }>(
      `insert into vitrine.collection_information as i (chain_id, collection, body, slug, tradable_at, updated_by)
       values ($1, $2, $3, $4, $5, $6)
       on conflict (chain_id, collection) do update
          set body = excluded.body, slug = excluded.slug, tradable_at = excluded.tradable_at,
              updated_by = excluded.updated_by,
              updated_at = greatest(clock_timestamp(), i.updated_at + interval '1 millisecond')
        where not $7::boolean or date_trunc('milliseconds', i.updated_at) = $8::timestamptz
       returning updated_at as "updatedAt"`,
      [
        ...[chainId, address, JSON.stringify(information), information.slug, information.tradable_at, by],
        since !== undefined,
        since?.updatedAt ?? null,
      ],
    );
    return row?.updatedAt ?? "changed";
  } catch (error) {
    if ((error as { constraint?: string }).constraint === "collection_information_slug_key")
      return "slug_taken";
    throw error;
  }
}
