/** Display types that wait for the operator, and the switch from one to another, in PostgreSQL. */

import type { Queryable } from "../store/database.ts";
import type { CollectionRef } from "./trait-type-store.ts";
import type { DisplayType } from "./traits.ts";

export interface PendingType extends CollectionRef {
  readonly traitType: string;
  readonly known: DisplayType;
  readonly wanted: DisplayType;
  /** Tokens whose served version holds at least one such entry; exact. */
  readonly tokens: number;
  readonly firstSeenAt: Date;
}

/** What is held back in these collections, the oldest conflict first, at most `limit`. */
export async function readPending(
  db: Queryable,
  collections: readonly CollectionRef[],
  limit: number,
): Promise<PendingType[]> {
  const rows = await db.query<Omit<PendingType, "chainId"> & { chainId: string }>(
    `select c.chain_id as "chainId", c.collection, c.trait_type as "traitType", k.display_type as known,
            c.display_type as wanted, held.tokens, c.first_seen_at as "firstSeenAt"
       from vitrine.trait_conflict c
       join vitrine.trait_type k
         on k.chain_id = c.chain_id and k.collection = c.collection and md5(k.trait_type) = md5(c.trait_type)
        and k.trait_type = c.trait_type and k.display_type <> c.display_type
      cross join lateral (
        select count(*)::int as tokens from (
          select distinct t.token_id from vitrine.token_trait t
           where t.chain_id = c.chain_id and t.collection = c.collection and md5(t.trait_type) = md5(c.trait_type)
             and t.trait_type = c.trait_type and t.display_type = c.display_type) holders) held
      where (c.chain_id, c.collection) in (select * from unnest($1::bigint[], $2::text[])) and held.tokens > 0
      order by c.first_seen_at, c.chain_id, c.collection, c.trait_type collate "C", c.display_type limit $3`,
    [collections.map(({ chainId }) => chainId), collections.map(({ collection }) => collection), limit],
  );
  return rows.map((row) => ({ ...row, chainId: Number(row.chainId) }));
}

/** The display types other than the known one that tokens hold entries of. */
export async function readHeldTypes(
  db: Queryable,
  { chainId, collection }: CollectionRef,
  traitType: string,
): Promise<DisplayType[]> {
  const rows = await db.query<{ displayType: DisplayType }>(
    `select c.display_type as "displayType" from vitrine.trait_conflict c
       join vitrine.trait_type k
         on k.chain_id = c.chain_id and k.collection = c.collection and md5(k.trait_type) = md5(c.trait_type)
        and k.trait_type = c.trait_type and k.display_type <> c.display_type
      where c.chain_id = $1 and c.collection = $2 and md5(c.trait_type) = md5($3) and c.trait_type = $3
        and exists (select from vitrine.token_trait t
                     where t.chain_id = $1 and t.collection = $2 and md5(t.trait_type) = md5($3)
                       and t.trait_type = $3 and t.display_type = c.display_type)
      order by 1`,
    [chainId, collection, traitType],
  );
  return rows.map(({ displayType }) => displayType);
}

/**
 * Makes `to` the display type that the trait type is known with: entries of it are shown from now on, and those of the
 * one before are held back. Approvals of the collection must be locked.
 */
export async function switchDisplayType(
  tx: Queryable,
  { chainId, collection }: CollectionRef,
  traitType: string,
  { from, to }: { readonly from: DisplayType; readonly to: DisplayType },
): Promise<void> {
  const trait = [chainId, collection, traitType];
  await tx.query(
    `update vitrine.trait_type k
        set display_type = $4,
            highest = case when $4 <> 'number' then highest else greatest(highest, (
              select max(t.value_number) from vitrine.token_trait t
               where t.chain_id = $1 and t.collection = $2 and md5(t.trait_type) = md5($3) and t.trait_type = $3
                 and t.display_type = 'number')) end
      where chain_id = $1 and collection = $2 and md5(trait_type) = md5($3) and trait_type = $3`,
    [...trait, to],
  );
  await tx.query(
    `delete from vitrine.trait_conflict
      where chain_id = $1 and collection = $2 and md5(trait_type) = md5($3) and trait_type = $3 and display_type = $4`,
    [...trait, to],
  );
  // Also where no token holds one: a version that is being recorded took its entries for shown ones.
  await tx.query(
    `insert into vitrine.trait_conflict as c (chain_id, collection, trait_type, display_type) values ($1, $2, $3, $4)
     on conflict (chain_id, collection, md5(trait_type), display_type) do update set first_seen_at = now()`,
    [...trait, from],
  );
}
