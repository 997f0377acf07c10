/** How many tokens carry which value, in PostgreSQL. */

import type { Queryable } from "../store/database.ts";
import { readTraitTypes } from "./trait-type-store.ts";
import { type Trait, valueText } from "./traits.ts";

export interface TraitCount {
  readonly traitType: string;
  readonly value: string;
  readonly count: number;
}

/**
 * How many tokens carry each of these values with its display type, how many tokens have metadata at all, and the
 * highest value per number trait. `traits` are shown ones, so entries that are held back count for nothing.
 */
export async function countTraits(
  db: Queryable,
  chainId: number,
  collection: string,
  traits: readonly Trait[],
) {
  const numbers = traits.filter((trait) => trait.display_type === "number");
  const [counts, totals, types] = await Promise.all([
    db.query<TraitCount>(
      `select w.trait_type as "traitType", w.value_text as value, count(distinct t.token_id)::int as count
         from unnest($3::text[], $4::text[], $5::text[]) as w(trait_type, display_type, value_text)
         join vitrine.token_trait t
           on t.chain_id = $1 and t.collection = $2
          and md5(t.trait_type) = md5(w.trait_type) and md5(t.value_text) = md5(w.value_text)
          and t.trait_type = w.trait_type and t.display_type = w.display_type and t.value_text = w.value_text
        group by 1, 2, w.display_type`,
      [
        chainId,
        collection,
        traits.map((t) => t.trait_type),
        traits.map((t) => t.display_type),
        traits.map((t) => valueText(t.value)),
      ],
    ),
    db.query<{ total: number }>(
      "select count(*)::int as total from vitrine.token where chain_id = $1 and collection = $2 and served_version is not null",
      [chainId, collection],
    ),
    readTraitTypes(
      db,
      { chainId, collection },
      numbers.map((trait) => trait.trait_type),
    ),
  ]);
  const highest = new Map<string, number>();
  for (const [name, type] of types) {
    if (type.highest !== null) highest.set(name, type.highest);
  }
  return { counts, total: totals[0]?.total ?? 0, highest };
}
