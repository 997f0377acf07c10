/** SQL for display types awaiting the operator's approval, and for the switch between them. */

import type { CollectionRef } from "../../../domain/token-ref.ts";
import { columnsOf } from "../../db/columns.ts";
import type { Queryable } from "../../db/database.ts";
import type { DisplayType } from "../document/traits.ts";
import { COUNTED_MAX } from "./trait-counts.ts";
import type { TraitType } from "./trait-type-store.ts";

export interface PendingType extends CollectionRef {
  readonly traitType: string;
  readonly known: DisplayType;
  readonly proposed: DisplayType;
  /** The tokens whose served version has at least one such entry; exact unless `hasMoreTokens`. */
  readonly tokens: number;
  /** Counting ended before the last one. */
  readonly hasMoreTokens: boolean;
  readonly firstSeenAt: Date;
}

const LOOKED_UP_TOGETHER = 100;

/** The conflicting types in these collections, oldest conflict first, at most `limit`. */
export async function readPending(
  db: Queryable,
  collections: readonly CollectionRef[],
  limit: number,
): Promise<PendingType[]> {
  // Sorted by the subquery, so that only the types before the limit are counted. Values are looked up in batches,
  // because each lookup also reads the index's pending list.
  const rows = await db.query<Omit<PendingType, "chainId"> & { chainId: string }>(
    `select "chainId", collection, "traitType", known, proposed, tokens, "hasMoreTokens", "firstSeenAt"
       from (select k.chain_id as "chainId", k.collection, k.trait_type collate "C" as "traitType",
                    k.display_type as known, h.trait_type_id, h.display_type as proposed,
                    h.first_seen_at as "firstSeenAt"
               from vitrine.held_type h
               join vitrine.trait_type k on k.id = h.trait_type_id and k.display_type <> h.display_type
              where (k.chain_id, k.collection) in (select * from unnest($1::bigint[], $2::text[]))
              order by "firstSeenAt", "chainId", collection, "traitType", proposed) conflict
      cross join lateral (
        select count(distinct token_id) filter (where nth <= ${COUNTED_MAX})::int as tokens,
               count(*) > ${COUNTED_MAX} as "hasMoreTokens"
          from (select t.token_id, row_number() over () as nth
                  from (select array_agg(id) as ids
                          from (select v.id, row_number() over (order by v.value_number desc) as nth
                                  from vitrine.trait_value v
                                 where (v.trait_type_id, v.display_type) = (conflict.trait_type_id, conflict.proposed)) v
                         group by (nth - 1) / ${LOOKED_UP_TOGETHER}) batch
                 cross join lateral (select t.token_id from vitrine.token t where t.traits && batch.ids offset 0) t
                 limit ${COUNTED_MAX + 1}) counted) counted
      where tokens > 0
      order by "firstSeenAt", "chainId", collection, "traitType", proposed limit $3`,
    [...columnsOf(collections, "chainId", "collection"), limit],
    "read pending display types",
  );
  return rows.map((row) => ({ ...row, chainId: Number(row.chainId) }));
}

/** The display types, other than the known one, that any token's entries have. */
export async function readConflictingTypes(
  db: Queryable,
  { id, displayType }: TraitType,
): Promise<DisplayType[]> {
  const rows = await db.query<{ displayType: DisplayType }>(
    `select h.display_type as "displayType" from vitrine.held_type h
      where h.trait_type_id = $1 and h.display_type <> $2
        and exists (select from vitrine.trait_value v
                     where (v.trait_type_id, v.display_type) = (h.trait_type_id, h.display_type)
                       and exists (select from vitrine.token t where t.traits @> array[v.id]))
      order by 1`,
    [id, displayType],
  );
  return rows.map((row) => row.displayType);
}

/**
 * Makes `to` the trait type's known display type: its entries are shown from now on, and those of the previous one are
 * hidden. The collection's traits must be locked.
 */
export async function switchDisplayType(tx: Queryable, from: TraitType, to: DisplayType): Promise<void> {
  await tx.query(
    `update vitrine.trait_type
        set display_type = $2, approved = true, changed = pg_current_xact_id(),
            highest = case when $2 <> 'number' then highest else greatest(highest, (
              select v.value_number from vitrine.trait_value v
               where v.trait_type_id = $1 and v.display_type = 'number'
                 and exists (select from vitrine.token t where t.traits @> array[v.id])
               order by v.value_number desc limit 1)) end
      where id = $1`,
    [from.id, to],
  );
  await tx.query("delete from vitrine.held_type where trait_type_id = $1 and display_type = $2", [
    from.id,
    to,
  ]);
  await tx.query(
    `insert into vitrine.held_type (trait_type_id, display_type) values ($1, $2)
     on conflict (trait_type_id, display_type) do update set first_seen_at = now()`,
    [from.id, from.displayType],
  );
}
