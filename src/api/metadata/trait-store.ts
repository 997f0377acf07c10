/** Trait types, and which token carries which value, in PostgreSQL. */

import type { TokenRef } from "../../domain/token-ref.ts";
import type { Queryable } from "../store/database.ts";
import { type DisplayType, type Trait, valueText } from "./traits.ts";

export interface TraitCount {
  readonly traitType: string;
  readonly value: string;
  readonly count: number;
}

const key = (token: TokenRef): [number, string, string] => [token.chainId, token.collection, token.tokenId];

/**
 * Settles each trait type's display type: the first one stays. Returns the settled type by trait type and
 * raises the highest value seen, which never falls.
 */
export async function settleTraitTypes(
  db: Queryable,
  token: TokenRef,
  traits: readonly Trait[],
): Promise<ReadonlyMap<string, DisplayType>> {
  const first = new Map<string, { displayType: DisplayType; highest: number | null }>();
  for (const trait of traits) {
    const before = first.get(trait.trait_type);
    const displayType = before?.displayType ?? trait.display_type;
    // Also where another type came first: that may be the one that is held back.
    const value = trait.display_type === "number" ? Number(trait.value) : null;
    const highest = value === null ? (before?.highest ?? null) : Math.max(value, before?.highest ?? value);
    first.set(trait.trait_type, { displayType, highest });
  }
  // In one order everywhere, so that two tokens never wait for each other.
  const rows = [...first].sort(([a], [b]) => (a < b ? -1 : 1));
  const settled = await db.query<{ traitType: string; displayType: DisplayType }>(
    `insert into vitrine.trait_type as known (chain_id, collection, trait_type, display_type, highest)
     select $1, $2, * from unnest($3::text[], $4::text[], $5::float8[])
     on conflict (chain_id, collection, md5(trait_type)) do update
       set highest = case when known.display_type = 'number'
                          then greatest(known.highest, excluded.highest) else known.highest end
     returning trait_type as "traitType", display_type as "displayType"`,
    [
      token.chainId,
      token.collection,
      rows.map(([name]) => name),
      rows.map(([, { displayType }]) => displayType),
      rows.map(([, { highest }]) => highest),
    ],
  );
  return new Map(settled.map(({ traitType, displayType }) => [traitType, displayType]));
}

/** Replaces the token's traits in the distribution. */
export async function replaceTraits(db: Queryable, token: TokenRef, traits: readonly Trait[]): Promise<void> {
  await db.query(
    "delete from vitrine.token_trait where chain_id = $1 and collection = $2 and token_id = $3",
    key(token),
  );
  if (traits.length === 0) return;
  await db.query(
    `insert into vitrine.token_trait (chain_id, collection, token_id, position, trait_type, value_text, value_number)
     select $1, $2, $3, ordinality, trait_type, value_text, value_number
       from unnest($4::text[], $5::text[], $6::float8[]) with ordinality as t(trait_type, value_text, value_number)`,
    [
      ...key(token),
      traits.map((trait) => trait.trait_type),
      traits.map((trait) => valueText(trait.value)),
      traits.map((trait) => (typeof trait.value === "number" ? trait.value : null)),
    ],
  );
}

/** How many tokens carry each of these values, and how many tokens have metadata at all. */
export async function countTraits(
  db: Queryable,
  chainId: number,
  collection: string,
  traits: readonly Trait[],
) {
  const [counts, totals, ceilings] = await Promise.all([
    db.query<TraitCount>(
      `select w.trait_type as "traitType", w.value_text as value, count(distinct t.token_id)::int as count
         from unnest($3::text[], $4::text[]) as w(trait_type, value_text)
         join vitrine.token_trait t
           on t.chain_id = $1 and t.collection = $2
          and md5(t.trait_type) = md5(w.trait_type) and md5(t.value_text) = md5(w.value_text)
          and t.trait_type = w.trait_type and t.value_text = w.value_text
        group by 1, 2`,
      [chainId, collection, traits.map((t) => t.trait_type), traits.map((t) => valueText(t.value))],
    ),
    db.query<{ total: number }>(
      "select count(*)::int as total from vitrine.token where chain_id = $1 and collection = $2 and served_version is not null",
      [chainId, collection],
    ),
    db.query<{ traitType: string; highest: number }>(
      `select trait_type as "traitType", highest from vitrine.trait_type
        where chain_id = $1 and collection = $2 and trait_type = any($3) and display_type = 'number' and highest is not null`,
      [chainId, collection, traits.map((t) => t.trait_type)],
    ),
  ]);
  return {
    counts,
    total: totals[0]?.total ?? 0,
    highest: new Map(ceilings.map(({ traitType, highest }) => [traitType, highest])),
  };
}
