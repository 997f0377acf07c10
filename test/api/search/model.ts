/** Brute-force search over plain objects, to compare the real one with. */

import type { DisplayType, Trait } from "../../../src/api/metadata/document/traits.ts";
import {
  type CompletedValues,
  type Facets,
  type FoundToken,
  foundBy,
  type NameQuery,
  type TokenFilter,
  type TokenSort,
  type ValuePrefix,
} from "../../../src/api/search/query.ts";

export interface ModelToken {
  readonly tokenId: string;
  readonly name: string | null;
  readonly description: string | null;
  readonly servedAt: number | null;
  readonly sinceBlock: number | null;
  /** Every stored entry, shown or not. */
  readonly traits: readonly Trait[];
  readonly burned?: boolean;
  readonly locked?: boolean;
  readonly owner?: string;
  readonly document?: string | null;
  readonly delegatedTo?: string | undefined;
}

/** Whether one of the filter's owners has the token, or may use it if delegations count. */
export const isHeldBy = (
  { owner, delegatedTo }: ModelToken,
  { owners, includeDelegated }: Pick<TokenFilter, "owners" | "includeDelegated">,
): boolean =>
  [owner, includeDelegated ? delegatedTo : undefined].some(
    (holder) => holder !== undefined && owners?.includes(holder),
  );

export interface Model {
  readonly tokens: readonly ModelToken[];
  /** Each trait type's known display type, and its highest value. */
  readonly types: ReadonlyMap<string, { readonly displayType: DisplayType; readonly highest: number | null }>;
}

type Value = Trait["value"];

const textOf = (value: Value): string => (typeof value === "string" ? value : JSON.stringify(value));
const fold = (text: string): string => text.normalize("NFC").toLowerCase().replaceAll("ς", "σ");

/** By code point, one character at a time. */
export function compareTexts(a: string, b: string): number {
  const [one, other] = [[...fold(a)], [...fold(b)]];
  for (let at = 0; at < Math.max(one.length, other.length); at++) {
    const difference = (one[at]?.codePointAt(0) ?? -1) - (other[at]?.codePointAt(0) ?? -1);
    if (difference !== 0) return difference;
  }
  return 0;
}

const compareValues = (a: Value, b: Value): number =>
  typeof a === "string" ? compareTexts(a, String(b)) : Number(a) - Number(b);

const shown = ({ types }: Model, { traits }: ModelToken): readonly Trait[] =>
  traits.filter((trait) => types.get(trait.trait_type)?.displayType === trait.display_type);

const valuesOf = (model: Model, token: ModelToken, name: string): Value[] =>
  shown(model, token).flatMap((trait) => (trait.trait_type === name ? trait.value : []));

function matches(model: Model, token: ModelToken, filter: TokenFilter): boolean {
  const { text = "", name: inName = "", owners, locked } = filter;
  const texts = [token.name, token.description, ...shown(model, token).map(({ value }) => textOf(value))];
  return (
    !token.burned &&
    filter.criteria.every(({ name, values }) =>
      valuesOf(model, token, name).some((value) => values.includes(textOf(value))),
    ) &&
    filter.ranges.every(({ name, from = Number.NEGATIVE_INFINITY, to = Number.POSITIVE_INFINITY }) =>
      valuesOf(model, token, name).some((value) => typeof value === "number" && value >= from && value <= to),
    ) &&
    (text === "" || texts.some((each) => each !== null && fold(each).includes(fold(text)))) &&
    (inName === "" || (token.name !== null && fold(token.name).includes(fold(inName)))) &&
    (owners === undefined || isHeldBy(token, filter)) &&
    (locked === undefined || (token.locked ?? false) === locked)
  );
}

export const matching = (model: Model, filter: TokenFilter): ModelToken[] =>
  model.tokens.filter((token) => matches(model, token, filter));

/** Missing values come last, whatever `direction` is. */
function compareKeys<Key>(a: Key | null, b: Key | null, compare: (a: Key, b: Key) => number): number {
  if (a === null || b === null) return Number(a === null) - Number(b === null);
  return compare(a, b);
}

const isClose = (a: number, b: number): boolean => Math.abs(a - b) <= 1e-10 * Math.max(1, a, b);

/**
 * OpenRarity's information content of every listed token, by id: over each string and boolean trait type, the values it
 * has, or that it has none, divided by the entropy of the collection.
 */
export function rarities(model: Model): Map<string, { rank: number; score: number; of: number }> {
  const tokens = matching(model, { criteria: [], ranges: [] });
  const attributesOf = (token: ModelToken): string[] =>
    names.flatMap((name) => {
      const values = [...new Set(valuesOf(model, token, name).map(textOf))];
      return values.length > 0 ? values.map((value) => JSON.stringify([name, value])) : [`no ${name}`];
    });
  const names = [...model.types]
    .filter(([, { displayType }]) => displayType === "string" || displayType === "bool")
    .map(([name]) => name)
    .filter((name) => tokens.some((token) => valuesOf(model, token, name).length > 0));
  if (names.length === 0) return new Map();
  const shareOf = (attribute: string): number => (counts.get(attribute) ?? 0) / tokens.length;
  const counts = new Map<string, number>();
  for (const attribute of tokens.flatMap(attributesOf))
    counts.set(attribute, (counts.get(attribute) ?? 0) + 1);
  const entropy = [...counts.keys()].reduce(
    (sum, attribute) => sum - shareOf(attribute) * Math.log2(shareOf(attribute)),
    0,
  );
  const scored = tokens.map((token) => {
    const content = attributesOf(token).reduce((sum, attribute) => sum - Math.log2(shareOf(attribute)), 0);
    return { tokenId: token.tokenId, score: entropy === 0 ? 0 : content / entropy };
  });
  return new Map(
    scored.map(({ tokenId, score }) => [
      tokenId,
      {
        rank: 1 + scored.filter((other) => other.score > score && !isClose(other.score, score)).length,
        score,
        of: tokens.length,
      },
    ]),
  );
}

/** The ids of all matches, in order. */
export function sorted(model: Model, filter: TokenFilter, sort: TokenSort): string[] {
  const direction = "descending" in sort && sort.descending ? -1 : 1;
  const byId = (a: ModelToken, b: ModelToken): number => (BigInt(a.tokenId) < BigInt(b.tokenId) ? -1 : 1);
  const best = (token: ModelToken, name: string): Value | null =>
    valuesOf(model, token, name).sort((a, b) => direction * compareValues(a, b))[0] ?? null;
  const ranks = sort.by === "rarity" ? rarities(model) : new Map();
  const rankOf = ({ tokenId }: ModelToken): number | null => ranks.get(tokenId)?.rank ?? null;
  const compare = (a: ModelToken, b: ModelToken): number => {
    switch (sort.by) {
      case "rarity":
        return compareKeys(rankOf(a), rankOf(b), (one, other) => one - other) || byId(a, b);
      case "id":
        return direction * byId(a, b);
      case "name":
        return (
          compareKeys(a.name, b.name, (one, other) => direction * compareTexts(one, other)) || byId(a, b)
        );
      case "latest":
        return compareKeys(a.sinceBlock, b.sinceBlock, (one, other) => other - one) || byId(a, b);
      case "updated":
        return compareKeys(a.servedAt, b.servedAt, (one, other) => other - one) || byId(a, b);
      case "trait":
        return (
          compareKeys(
            best(a, sort.name),
            best(b, sort.name),
            (one, other) => direction * compareValues(one, other),
          ) || byId(a, b)
        );
    }
  };
  return matching(model, filter)
    .sort(compare)
    .map(({ tokenId }) => tokenId);
}

/** The first of the matches with each document, in order, and how many they are. */
export function stacked(
  model: Model,
  filter: TokenFilter,
  sort: TokenSort,
): readonly (readonly [string, number])[] {
  const stacks = new Map<string, [string, number]>();
  for (const tokenId of sorted(model, filter, sort)) {
    const document = model.tokens.find((token) => token.tokenId === tokenId)?.document ?? `none: ${tokenId}`;
    const known = stacks.get(document);
    if (known) known[1]++;
    else stacks.set(document, [tokenId, 1]);
  }
  return [...stacks.values()];
}

/** As the search returns them, each type with all its values. */
export function facets(model: Model, filter: TokenFilter): Facets {
  const tokens = matching(model, filter);
  const listed = matching(model, { criteria: [], ranges: [] }).length;
  const names = [...model.types.keys()].sort((a, b) => compareTexts(a, b) || (a < b ? -1 : 1));
  return {
    total: tokens.length,
    listed,
    traits: names.flatMap((name) => {
      const perToken = tokens.map((token) => [...new Set(valuesOf(model, token, name))]);
      const count = perToken.filter((values) => values.length > 0).length;
      if (count === 0) return [];
      const { displayType, highest } = model.types.get(name) ?? { displayType: "string", highest: null };
      const all = perToken.flat();
      const numbers = all.filter((value) => typeof value === "number");
      const values = [...new Set(all)]
        .map((value) => ({ value, count: all.filter((each) => each === value).length }))
        .map((each) => ({ ...each, percentage: (each.count / listed) * 100 }))
        .sort((a, b) => b.count - a.count || compareValues(a.value, b.value) || (a.value < b.value ? -1 : 1));
      return {
        trait_type: name,
        display_type: displayType,
        count,
        min: numbers.length > 0 ? Math.min(...numbers) : null,
        max: numbers.length > 0 ? Math.max(...numbers) : null,
        max_value: displayType === "number" ? highest : null,
        values,
        values_total: values.length,
      };
    }),
  };
}

/** Tokens by name or id, the best first. */
export function named(model: Model, { text, tokenId, limit }: NameQuery): FoundToken[] {
  const matchOf = ({ tokenId: id, name }: ModelToken): FoundToken["match"] | undefined => {
    if (id === tokenId) return "id";
    if (name === null || !fold(name).includes(fold(text))) return undefined;
    if (fold(name) === fold(text)) return "name";
    return fold(name).startsWith(fold(text)) ? "start" : "part";
  };
  return sorted(model, { criteria: [], ranges: [] }, { by: "name", descending: false })
    .flatMap((id) => {
      const token = model.tokens.find((each) => each.tokenId === id) as ModelToken;
      const match = matchOf(token);
      return match ? [{ tokenId: id, name: token.name === null ? null : fold(token.name), match }] : [];
    })
    .sort((a, b) => foundBy.indexOf(a.match) - foundBy.indexOf(b.match))
    .slice(0, limit);
}

/** The values of a trait that begin with a text. */
export function completed(model: Model, { name, prefix, limit }: ValuePrefix): CompletedValues {
  const { listed, traits } = facets(model, { criteria: [], ranges: [] });
  const values = traits.find(({ trait_type }) => trait_type === name)?.values ?? [];
  const found = values.filter(({ value }) => fold(textOf(value)).startsWith(fold(prefix)));
  return {
    display_type: model.types.get(name)?.displayType ?? null,
    total: found.length,
    listed,
    values: found.slice(0, limit),
  };
}

/** The same, but a trait with conditions is counted as if without them. */
export function panel(model: Model, filter: TokenFilter): Facets {
  const { traits, ...counted } = facets(model, filter);
  const names = new Set([...filter.criteria, ...filter.ranges].map(({ name }) => name));
  const own = [...names].flatMap((name) => {
    const isOther = (condition: { readonly name: string }): boolean => condition.name !== name;
    const others = {
      ...filter,
      criteria: filter.criteria.filter(isOther),
      ranges: filter.ranges.filter(isOther),
    };
    return facets(model, others).traits.filter(({ trait_type }) => trait_type === name);
  });
  const all = [...traits.filter(({ trait_type }) => !names.has(trait_type)), ...own];
  return {
    ...counted,
    traits: all.sort(
      (a, b) => compareTexts(a.trait_type, b.trait_type) || (a.trait_type < b.trait_type ? -1 : 1),
    ),
  };
}
