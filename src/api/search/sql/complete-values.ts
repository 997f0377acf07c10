/** The values of a trait that begin with a text, as SQL. */

import type { DisplayType } from "../../metadata/document/traits.ts";
import { textKey } from "../../metadata/rules.ts";
import { isStorable } from "../../text/storable.ts";
import { folded } from "../columns/folded-text.ts";
import { percentageOf } from "../percentage.ts";
import type { CompletedValues, ValuePrefix } from "../query.ts";
import { LISTED_CHARACTERS_MAX } from "../sync/store.ts";
import { countListed } from "./facets.ts";
import { foldedSql } from "./fold.ts";
import { matching, nextStatement, type Statement, shownValues } from "./matching.ts";

interface ValueRow {
  readonly text: string;
  readonly number: number | null;
  readonly count: number;
  readonly total: number;
}

export async function completeValues(
  statement: Statement,
  { name, prefix, limit }: ValuePrefix,
): Promise<CompletedValues> {
  const listed = await countListed(statement);
  const { chainId, collection } = statement.collection;
  const [type] = isStorable(name)
    ? await statement.tx.query<{ display: DisplayType }>(
        "select display_type as display from vitrine.trait_type where chain_id = $1 and collection = $2 and key = $3",
        [chainId, collection, textKey(name)],
      )
    : [];
  if (!type || !isStorable(prefix))
    return { display_type: type?.display ?? null, total: 0, listed, values: [] };
  const next = nextStatement(statement);
  const { add } = next;
  const from = await matching(next, { criteria: [], ranges: [] });
  const text = foldedSql("v.value_text", next);
  const values = shownValues(
    next,
    `y.key = ${add(textKey(name))}::text and char_length(v.value_text) <= ${LISTED_CHARACTERS_MAX}
       and starts_with(${text}, ${add(folded(prefix))}::text)`,
    `v.id, v.value_text as text, v.value_number as number, ${text} as folded`,
  );
  const rows = await next.tx.query<ValueRow>(
    `with value as materialized (${values})
     select v.text, v.number, u.count, count(*) over ()::int as total
       from value v
       join (select u.id, count(*)::int as count from (select t.traits ${from}) t
              cross join unnest(t.traits) u(id) where u.id in (select id from value) group by u.id) u on u.id = v.id
      order by u.count desc, v.number, v.folded, v.text collate "C", v.id
      limit ${add(limit)}::int`,
    next.values,
  );
  return {
    display_type: type.display,
    total: rows[0]?.total ?? 0,
    listed,
    values: rows.map(({ text, number, count }) => ({
      value: number ?? (type.display === "bool" ? text === "true" : text),
      count,
      percentage: percentageOf(count, listed),
    })),
  };
}
