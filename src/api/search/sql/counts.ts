/** How many listed tokens have a token's own traits, as SQL. */

import type { Trait } from "../../metadata/document/traits.ts";
import { textKey, valueText } from "../../metadata/rules.ts";
import { isStorable } from "../../text/storable.ts";
import type { TraitCounts, TraitQuestion } from "../collection-search.ts";
import { LISTED_CHARACTERS_MAX } from "../sync/store.ts";
import { countListed } from "./facets.ts";
import { matching, nextStatement, type Statement } from "./matching.ts";

const NONE = { criteria: [], ranges: [] };

interface FoundValue {
  readonly id: number;
  /** The position of the trait asked for. */
  readonly nth: number;
  readonly highest: number | null;
}

export async function countTraits(
  statement: Statement,
  { traits, tokenIds }: TraitQuestion,
): Promise<TraitCounts> {
  const asked = (traits ?? (await traitsOf(statement, tokenIds))).filter(
    ({ trait_type, value }) => isStorable(trait_type) && isStorable(valueText(value)),
  );
  const { chainId, collection } = statement.collection;
  const found = await statement.tx.query<FoundValue>(
    `select coalesce(v.id, 0) as id, a.nth::int - 1 as nth, y.highest
       from unnest($3::text[], $4::text[], $5::text[]) with ordinality a(type, display, value, nth)
       join vitrine.trait_type y
         on y.chain_id = $1 and y.collection = $2 and y.key = a.type and y.display_type = a.display
       left join vitrine.trait_value v
         on v.trait_type_id = y.id and v.display_type = a.display and v.key = a.value
      order by a.nth`,
    [
      chainId,
      collection,
      asked.map(({ trait_type }) => textKey(trait_type)),
      asked.map(({ display_type }) => display_type),
      asked.map(({ value }) => textKey(valueText(value))),
    ],
  );
  const tokens = await countTokens(
    statement,
    found.map(({ id }) => id),
  );
  const counts = new Map<number, TraitCounts["counts"][number]>();
  const highest = new Map<string, number>();
  for (const { id, nth, highest: most } of found) {
    const { trait_type, display_type, value } = asked[nth] as Trait;
    const count = tokens.get(id) ?? 0;
    if (count > 0) counts.set(id, { traitType: trait_type, value: valueText(value), count });
    if (display_type === "number" && most !== null) highest.set(trait_type, most);
  }
  // Ranking needs the whole collection.
  const total = await countListed(statement);
  return { counts: [...counts.values()], total, highest, rarity: new Map(), stamp: null };
}

const traitsOf = ({ tx, collection }: Statement, tokenIds: readonly string[]): Promise<Trait[]> =>
  tx.query<Trait>(
    `select distinct y.trait_type, v.display_type, v.value_text as value
       from vitrine.token t cross join unnest(t.traits) u(id)
       join vitrine.trait_value v on v.id = u.id
       join vitrine.trait_type y on y.id = v.trait_type_id and y.display_type = v.display_type
      where t.chain_id = $1 and t.collection = $2 and t.token_id = any($3::numeric[])
        and length(y.trait_type) <= $4 and length(v.value_text) <= $4`,
    [collection.chainId, collection.collection, tokenIds, LISTED_CHARACTERS_MAX],
  );

async function countTokens(
  statement: Statement,
  values: readonly number[],
): Promise<ReadonlyMap<number, number>> {
  if (values.length === 0) return new Map();
  const next = nextStatement(statement);
  const from = await matching(next, NONE);
  const ids = `${next.add(values)}::int[]`;
  const rows = await next.tx.query<{ id: number; count: number }>(
    `select u.id, count(*)::int as count from (select t.traits ${from} and t.traits && ${ids}) t
      cross join unnest(t.traits) u(id) where u.id = any(${ids}) group by u.id`,
    next.values,
  );
  return new Map(rows.map(({ id, count }) => [id, count]));
}

/** Those of the trait types that a listed token shows a value of. */
export async function shownTypes(
  statement: Statement,
  names: readonly string[],
): Promise<ReadonlySet<string>> {
  const next = nextStatement(statement);
  const from = await matching(next, NONE);
  const stored = names.filter(isStorable);
  // Value by value: almost every value has a listed token, so the first one ends it.
  const rows = await next.tx.query<{ key: string }>(
    `select y.key from vitrine.trait_type y
      where y.chain_id = ${next.key.chainId} and y.collection = ${next.key.collection}
        and y.key = any(${next.add(stored.map(textKey))}::text[])
        and exists (select from vitrine.trait_value v
                     where v.trait_type_id = y.id and v.display_type = y.display_type
                       and exists (select ${from} and t.traits @> array[v.id]))`,
    next.values,
  );
  const keys = new Set(rows.map(({ key }) => key));
  return new Set(stored.filter((name) => keys.has(textKey(name))));
}
