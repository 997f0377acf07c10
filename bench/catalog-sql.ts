/** The queries of the catalog bench: as search requests, and as equivalent SQL. */

import type { TokenFilter, TokenSort } from "../src/api/search/query.ts";
import { CHAIN_ID, type Data, NUMBER_TRAIT, serialOf, traitName, valueAt } from "./catalog-data.ts";

export const LIMIT = 20;

export interface Question {
  readonly filter: TokenFilter;
  readonly sort: TokenSort;
  readonly sql: string;
  readonly parameters: readonly unknown[];
}

const below = (limit: number): number => Math.floor(Math.random() * limit);

interface Condition {
  readonly filter: TokenFilter;
  readonly where: string;
}

/** Tokens with a number in this range. */
function between({ kind, tokens, firstValues, numbers }: Data, from: number, to: number): Condition {
  const first = firstValues[NUMBER_TRAIT] ?? 0;
  return {
    filter: { ...none, ranges: [{ name: traitName(NUMBER_TRAIT), from, to }] },
    where:
      kind === "serial"
        ? `${serialOf(tokens, "t.token_id")} between ${from} and ${to}`
        : `traits && (select array_agg(id) from vitrine.trait_value
                       where id between ${first} and ${first + numbers} and value_number between ${from} and ${to})`,
  };
}

const none: TokenFilter = { criteria: [], ranges: [] };

/** Tokens with these values of these traits, by the values' positions. */
function holding(
  { firstValues }: Data,
  picks: readonly (readonly [trait: number, nth: number])[],
): Condition {
  const ids = picks.map(([trait, nth]) => (firstValues[trait] ?? 0) + nth);
  return {
    filter: {
      ...none,
      criteria: picks.map(([trait, nth]) => ({ name: traitName(trait), values: [valueAt(trait, nth)] })),
    },
    where: `traits @> array[${ids.join(", ")}]`,
  };
}

/** Each call makes a different condition. */
export const conditions: Readonly<Record<string, (data: Data) => Condition>> = {
  all: () => ({ filter: none, where: "true" }),
  // About 0.05 % and 0.3 % of the tokens.
  narrow: (data) =>
    holding(data, [
      [7, 50 + below(100)],
      [4, 10 + below(8)],
    ]),
  middle: (data) => holding(data, [[8, 100 + below(300)]]),
  // About half of the tokens, and a fifth.
  broad: (data) => holding(data, [[0, below(2)]]),
  two_broad: (data) =>
    holding(data, [
      [0, below(2)],
      [1, below(3)],
    ]),
  any_of: ({ firstValues }) => {
    const nths = Array.from({ length: 4 }, () => below(20));
    return {
      filter: { ...none, criteria: [{ name: traitName(3), values: nths.map((nth) => valueAt(3, nth)) }] },
      where: `traits && array[${nths.map((nth) => (firstValues[3] ?? 0) + nth).join(", ")}]`,
    };
  },
  // A tenth of the numbers, and half of them.
  range: (data) => {
    const from = below(data.numbers * 0.8);
    return between(data, from, from + Math.floor(data.numbers / 10));
  },
  half: (data) => {
    const from = below(data.numbers / 2);
    return between(data, from, from + Math.floor(data.numbers / 2));
  },
  text: () => {
    const text = `#${1 + below(9)}${below(10)}${below(10)}`;
    return { filter: { ...none, text }, where: `name ilike '%${text}%'` };
  },
  owner: () => {
    const owner = `0x${below(1_000).toString(16).padStart(40, "0")}`;
    return { filter: { ...none, owners: [owner] }, where: `s.owner = '${owner}'` };
  },
};

interface Sort {
  readonly sort: TokenSort;
  readonly order: string | ((data: Data) => string);
}

export const sorts: Readonly<Record<string, Sort>> = {
  id_asc: { sort: { by: "id", descending: false }, order: "token_id" },
  id_desc: { sort: { by: "id", descending: true }, order: "token_id desc" },
  name_asc: {
    sort: { by: "name", descending: false },
    order: `lower(name) collate "C" nulls last, token_id`,
  },
  name_desc: {
    sort: { by: "name", descending: true },
    order: `lower(name) collate "C" desc nulls last, token_id`,
  },
  latest: { sort: { by: "latest" }, order: "since_block desc nulls last, token_id" },
  updated: { sort: { by: "updated" }, order: "served_at desc nulls last, token_id" },
  trait_number: {
    sort: { by: "trait", name: traitName(NUMBER_TRAIT), descending: true },
    order: ({ kind, tokens }) =>
      kind === "serial"
        ? `${serialOf(tokens, "t.token_id")} desc`
        : "(select max(value_number) from vitrine.trait_value v where v.id = any(traits)) desc nulls last, token_id",
  },
};

export function makeQuestion(data: Data, tokenState: string, condition: string, sort: string): Question {
  const { filter, where } = conditions[condition]?.(data) ?? { filter: none, where: "true" };
  const { sort: by, order } = sorts[sort] ?? { sort: { by: "id", descending: false }, order: "token_id" };
  return {
    filter,
    sort: by,
    // The ids of the first page and the match count, in one statement.
    sql: `select t.token_id, count(*) over () as total from vitrine.token t
            left join ${tokenState} s
              on (s.chain_id, s.collection_address, s.token_id) = (t.chain_id, t.collection, t.token_id)
           where t.chain_id = $1 and t.collection = $2 and not coalesce(s.burned, false) and ${where}
           order by ${(typeof order === "string" ? order : order(data)).replace(/(?<!\.)\btoken_id\b/, "t.token_id")} limit ${LIMIT}`,
    parameters: [CHAIN_ID, data.collection.address],
  };
}
