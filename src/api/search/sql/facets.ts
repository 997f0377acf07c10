/** The distribution of traits among matching tokens, as SQL. */

import { textKey } from "../../metadata/rules.ts";
import { isStorable } from "../../text/storable.ts";
import { sortByName } from "../columns/folded-text.ts";
import {
  ANSWER_VALUES_MAX,
  FACET_TYPES_MAX,
  FACET_VALUES_MAX,
  fitValues,
  shareOf,
  type TypeShare,
} from "../index/facets.ts";
import type { CountedFacets, FacetColumns, TokenFilter, TraitFacet } from "../query.ts";
import { LISTED_CHARACTERS_MAX } from "../sync/store.ts";
import { foldedSql } from "./fold.ts";
import { matching, nextStatement, type Statement } from "./matching.ts";

const NONE: TokenFilter = { criteria: [], ranges: [] };

/** How many listed tokens of the collection match. */
export async function countMatching(statement: Statement, filter: TokenFilter): Promise<number> {
  const next = nextStatement(statement);
  const [row] = await next.tx.query<{ total: number }>(
    `select count(*)::int as total ${await matching(next, filter)}`,
    next.values,
  );
  return row?.total ?? 0;
}

/** How many different documents they have; each token without any is one more. */
export async function countDocuments(statement: Statement, filter: TokenFilter): Promise<number> {
  const next = nextStatement(statement);
  const [row] = await next.tx.query<{ total: number }>(
    `select count(distinct coalesce(v.content_hash, t.token_id::text))::int as total
       from (select t.token_id, t.served_version ${await matching(next, filter)}) t
       left join vitrine.version v on v.id = t.served_version`,
    next.values,
  );
  return row?.total ?? 0;
}

export const countListed = (statement: Statement): Promise<number> => countMatching(statement, NONE);

interface FacetRow extends Pick<TraitFacet, "display_type" | "count" | "min" | "max" | "values_total"> {
  readonly name: string;
  readonly highest: number | null;
  /** Null if all values are too long to list. */
  readonly listed: readonly (readonly [text: string, number: number | null, count: number])[] | null;
}

/** One trait type. */
interface Only {
  readonly name: string;
  readonly share: TypeShare;
}

/** The facets in the order of an answer. */
async function readFacets(statement: Statement, filter: TokenFilter, only?: Only): Promise<FacetColumns[]> {
  const next = nextStatement(statement);
  const { add } = next;
  const from = await matching(next, filter);
  // By primary key and without the collection, so that no plan reads all of its values for each token.
  const shown = `
    join vitrine.trait_value v on v.id = u.id
    join vitrine.trait_type y on y.id = v.trait_type_id and y.display_type = v.display_type
                             and ${only ? `y.key = ${add(textKey(only.name))}::text` : "true"}`;
  const valuesMax = only
    ? `${add(only.share.values)}::int`
    : `least(${FACET_VALUES_MAX}, ${ANSWER_VALUES_MAX} / greatest(1, (select count(*) from type)))`;
  const isLong = `char_length(v.value_text) > ${LISTED_CHARACTERS_MAX}`;
  const rows = await next.tx.query<FacetRow>(
    // Materialized, as a plan from no or old statistics may read the matching tokens again for each value.
    `with matched as materialized (select t.token_id, t.traits ${from}),
     used as not materialized (select m.token_id, unnest(m.traits) as id from matched m),
     value as (
       select y.id as type, v.id, u.count, v.value_number, v.value_text, ${isLong} as is_long
         from (select id, count(*)::int as count from used group by id) u ${shown}),
     -- A token counts once, however many of a type's values it has.
     counted as (
       select type, count(*)::int as count from (select distinct y.id as type, u.token_id from used u ${shown}) d
        group by type),
     type as (
       select y.id, y.trait_type, y.display_type, y.highest, c.count
         from counted c join vitrine.trait_type y on y.id = c.type
        where char_length(y.trait_type) <= ${LISTED_CHARACTERS_MAX}
        order by c.count desc, y.id limit ${FACET_TYPES_MAX}),
     ranked as (
       select v.*, row_number() over (
                partition by v.type, v.is_long
                order by v.count desc, v.value_number,
                         case when v.value_number is null and not v.is_long then ${foldedSql("v.value_text", next)} end,
                         case when not v.is_long then v.value_text end collate "C", v.id) as nth
         from value v where v.type = any(array(select id from type))),
     listed as (
       select type, count(*)::int as values_total, min(value_number) as min, max(value_number) as max,
              json_agg(json_build_array(value_text, value_number, count) order by nth)
                filter (where not is_long and nth <= ${valuesMax}) as listed
         from ranked group by type)
     select y.trait_type as name, y.display_type, y.highest, y.count, l.*
       from type y join listed l on l.type = y.id`,
    next.values,
  );
  const share = only?.share ?? shareOf(rows.length);
  return sortByName(
    rows.map((row) => toFacet(row, share)),
    ({ trait_type }) => trait_type,
  );
}

function toFacet({ name, highest, listed, ...row }: FacetRow, share: TypeShare): FacetColumns {
  const { display_type, count, min, max, values_total } = row;
  const shown = (listed ?? []).map(
    ([text, number]) => number ?? (display_type === "bool" ? text === "true" : text),
  );
  const values = fitValues(shown, share);
  const isNumeric = display_type === "number" || display_type === "date";
  return {
    trait_type: name,
    display_type,
    count,
    min: isNumeric ? min : null,
    max: isNumeric ? max : null,
    max_value: display_type === "number" ? highest : null,
    values,
    counts: (listed ?? []).slice(0, values.length).map(([, , count]) => count),
    values_total,
  };
}

export async function facetsOf(statement: Statement, filter: TokenFilter): Promise<CountedFacets> {
  const [total, listed] = [await countMatching(statement, filter), await countListed(statement)];
  return { total, listed, traits: await readFacets(statement, filter) };
}

/** Facets, but each trait with conditions is counted as if it had none. */
export async function panelOf(statement: Statement, filter: TokenFilter): Promise<CountedFacets> {
  const { traits, ...counted } = await facetsOf(statement, filter);
  const names = new Set([...filter.criteria, ...filter.ranges].map(({ name }) => name));
  const share = shareOf(traits.length);
  const all = traits.filter(({ trait_type }) => !names.has(trait_type));
  for (const name of names) {
    if (!isStorable(name)) continue;
    const isOther = (condition: { readonly name: string }): boolean => condition.name !== name;
    const others = {
      ...filter,
      criteria: filter.criteria.filter(isOther),
      ranges: filter.ranges.filter(isOther),
    };
    all.push(...(await readFacets(statement, others, { name, share })));
  }
  return { ...counted, traits: sortByName(all, ({ trait_type }) => trait_type) };
}
