/**
 * Filters as URL parameters, so that they can be shared: `q`, `owner`, `locked`, `sort`, `is:<trait>=<value>` once per
 * chosen value, and `from:<trait>` and `to:<trait>` with a number or a day.
 */

import { clip } from "../../../domain/printable.ts";
import {
  criteriaSchema,
  defaultSort,
  ownerSchema,
  rangeCriteriaSchema,
  sortSchema,
  textSchema,
} from "../../catalog/rules.ts";
import type { Trait } from "../../metadata/document/traits.ts";
import type { TokenFilter, TokenSort } from "../../search/query.ts";
import { parseNumber } from "../../text/number-text.ts";
import { storable } from "../../text/storable.ts";
import { formatNumber } from "../../ui/numbers.ts";
import { shortAddress } from "../../ui/short-address.ts";
import { words } from "../../ui/visitor.ts";
import { formatDate } from "../text.tsx";

const DAY_SECONDS = 86_400;
const DAY = /^\d{4}-\d{2}-\d{2}$/;
const SHORT = 12;
const PLAIN_FIELDS = ["q", "owner", "locked", "sort"];
const CHIPS_MAX = 50;
// Each chip links to all other conditions, so the links grow with the square of the query.
const LINK_CHARACTERS_MAX = 100_000;

export type Entry = readonly [name: string, value: string];

/** A value of a field or a trait, or a range with one end or both. */
export interface Condition {
  readonly trait: string | undefined;
  readonly entries: readonly Entry[];
  /** Those of its entries that are valid; at least one. */
  readonly valid: readonly Entry[];
}

/** One condition in words, and the query without it. */
export interface Chip {
  readonly trait: string | undefined;
  readonly text: string;
  readonly without: string;
}

export interface Asked {
  readonly filter: TokenFilter;
  readonly sort: TokenSort;
  /** The conditions and the sort, each once. */
  readonly entries: readonly Entry[];
  /** The same as a query string, without `?`. */
  readonly query: string;
  readonly cursor: string | undefined;
  /** The valid ones, in the order of the URL. */
  readonly conditions: readonly Condition[];
  /** Invalid parameters, each named by its field; the others still apply. */
  readonly problems: readonly string[];
  /** The text of a field as sent; empty if absent. */
  readonly field: (name: string) => string;
}

/** Parses a query string. Empty and unknown fields and repetitions are ignored; only a trait may have an empty value. */
export function readQuery(parameters: URLSearchParams): Asked {
  const entries = distinct(
    [...parameters]
      .map(decoded)
      // Phones add a space after a word.
      .map(([name, value]): Entry => [name, name === "q" ? value.trim() : value])
      .filter(([name, value]) => name.startsWith("is:") || (value !== "" && isOurs(name)))
      .map(([name, value]): Entry => [storable(name), storable(value)]),
  );
  const fields = new Map(entries);
  const field = (name: string): string => fields.get(name) ?? "";
  const problems: string[] = [];
  const read = <Value>(name: string, schema: Readable<Value>): Value | undefined => {
    const text = field(name);
    if (text === "") return undefined;
    const answer = schema.safeParse(text);
    if (answer.success) return answer.data;
    problems.push(`${name}: ${answer.error?.issues[0]?.message ?? "is not understood"}`);
    return undefined;
  };
  const text = read("q", textSchema);
  const owner = read("owner", ownerSchema);
  const sort = read("sort", sortSchema) ?? defaultSort;
  const locked = field("locked");
  if (!["", "true", "false"].includes(locked))
    problems.push(`locked: must be true or false; it is "${clip(locked, 80)}"`);

  const criteria = within(criteriaSchema, readCriteria(entries), problems);
  const ranges = within(rangeCriteriaSchema, readRanges(entries, problems), problems);
  const filter: TokenFilter = {
    criteria: criteria ?? [],
    ranges: (ranges ?? []).map(({ name, range }) => ({ name, ...range })),
    text,
    owners: owner === undefined ? undefined : [owner],
    locked: locked === "true" ? true : locked === "false" ? false : undefined,
  };
  const isUnderstood = ([name, value]: Entry): boolean => {
    if (name.startsWith("is:")) return criteria !== undefined;
    if (/^(?:from|to):/.test(name)) return ranges !== undefined && readBound(value, false) !== undefined;
    return { q: text, owner, locked: filter.locked }[name] !== undefined;
  };
  return {
    filter,
    sort,
    entries,
    query: entries.map(written).join("&"),
    cursor: parameters.get("cursor") ?? undefined,
    conditions: conditionsOf(entries, isUnderstood),
    problems,
    field,
  };
}

/**
 * The field of a form that stands for this entry. Forms send every line break as CR LF, and browsers read CR LF in HTML
 * as LF; so where the name or the value of a trait has any, both are percent-encoded, as the asterisk says (as in RFC
 * 8187). A bound is typed, and stays as it is.
 */
export function fieldOf([name, value]: Entry): Entry {
  const [, kind, trait] = /^(is|from|to):(.*)$/s.exec(name) ?? [];
  if (kind === undefined || trait === undefined || !/[\r\n]/.test(`${trait}${value}`)) return [name, value];
  return [`${kind}*:${encodeURIComponent(trait)}`, kind === "is" ? encodeURIComponent(value) : value];
}

/** The inverse of `fieldOf`. */
function decoded([name, value]: Entry): Entry {
  const [, kind, trait] = /^(is|from|to)\*:(.*)$/s.exec(name) ?? [];
  if (kind === undefined || trait === undefined) return [name, value];
  return [`${kind}:${decodePercent(trait)}`, kind === "is" ? decodePercent(value) : value];
}

function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Each value of a trait once. Of any other field the first value, since its input shows only one. */
function distinct(entries: readonly Entry[]): Entry[] {
  const found = new Map<string, Entry>();
  for (const entry of entries) {
    const [name] = entry;
    const key = name.startsWith("is:") ? JSON.stringify(entry) : name;
    if (!found.has(key)) found.set(key, entry);
  }
  return [...found.values()];
}

function groupBy<Key>(entries: readonly Entry[], keyOf: (entry: Entry) => Key): Map<Key, Entry[]> {
  const groups = new Map<Key, Entry[]>();
  for (const entry of entries) {
    const key = keyOf(entry);
    const group = groups.get(key);
    if (group) group.push(entry);
    else groups.set(key, [entry]);
  }
  return groups;
}

const written = ([name, value]: Entry): string => new URLSearchParams([[name, value]]).toString();

interface Readable<Value> {
  safeParse(input: unknown): {
    readonly success: boolean;
    readonly data?: Value | undefined;
    readonly error?: { readonly issues: readonly { readonly message: string }[] } | undefined;
  };
}

/** Parses as the API does, with the same limits. */
function within<Value>(schema: Readable<Value>, input: unknown, problems: string[]): Value | undefined {
  const answer = schema.safeParse(input);
  if (answer.success) return answer.data;
  problems.push(...(answer.error?.issues ?? []).map(({ message }) => message));
  return undefined;
}

const isOurs = (name: string): boolean => PLAIN_FIELDS.includes(name) || /^(?:from|to):/.test(name);

function readCriteria(entries: readonly Entry[]): { name: string; values: string[] }[] {
  const chosen = entries.filter(([field]) => field.startsWith("is:"));
  const byName = groupBy(chosen, ([field]) => field.slice("is:".length));
  return [...byName].map(([name, own]) => ({ name, values: own.map(([, value]) => value) }));
}

type Range = { name: string; range: { from?: number; to?: number } };

function readRanges(entries: readonly Entry[], problems: string[]): Range[] {
  const byName = new Map<string, Range["range"]>();
  for (const [field, value] of entries) {
    const [, end, name] = /^(from|to):(.*)$/s.exec(field) ?? [];
    if (end === undefined || name === undefined) continue;
    const bound = readBound(value, end === "to");
    if (bound === undefined) problems.push(`${field}: "${clip(value, 80)}" is neither a number nor a day`);
    else byName.set(name, { ...byName.get(name), [end]: bound });
  }
  return [...byName].map(([name, range]) => ({ name, range }));
}

/** A number unchanged; a day as its first second, or as its last one at the end of a range. */
function readBound(text: string, isEnd: boolean): number | undefined {
  const number = parseNumber(text);
  if (number !== undefined) return number;
  const seconds = DAY.test(text) ? Date.parse(`${text}T00:00:00Z`) / 1000 : Number.NaN;
  if (Number.isNaN(seconds)) return undefined;
  return isEnd ? seconds + DAY_SECONDS - 1 : seconds;
}

/** Both ends of a range are one condition. */
function conditionsOf(all: readonly Entry[], isUnderstood: (entry: Entry) => boolean): Condition[] {
  const groups = groupBy(all, (entry) => /^(?:from|to):(.*)$/s.exec(entry[0])?.[1] ?? entry);
  return [...groups.values()]
    .map((entries) => ({
      trait: /^(?:is|from|to):(.*)$/s.exec(entries[0]?.[0] ?? "")?.[1],
      entries,
      valid: entries.filter(isUnderstood),
    }))
    .filter(({ valid }) => valid.length > 0);
}

/** The first conditions in words, as many as a page has room for. */
export function chipsOf({ entries, query, conditions }: Asked): Chip[] {
  const count = Math.min(CHIPS_MAX, Math.floor(LINK_CHARACTERS_MAX / query.length));
  const parts = entries.map((entry) => ({ entry, text: written(entry) }));
  return conditions.slice(0, count).map(({ trait, entries: own, valid }) => ({
    trait,
    text: conditionText(valid),
    without: parts
      .filter(({ entry }) => !own.includes(entry))
      .map(({ text }) => text)
      .join("&"),
  }));
}

/** The query string without any condition, in the same order. */
export const withoutConditions = ({ entries }: Asked): string =>
  entries
    .filter(([name, value]) => name === "sort" && sortSchema.safeParse(value).success)
    .map(written)
    .join("&");

function conditionText(valid: readonly Entry[]): string {
  const { filters } = words();
  const [field = "", value = ""] = valid[0] ?? [];
  if (field === "q") return `“${value}”`;
  if (field === "owner") return filters.ownedBy(value.length > SHORT ? shortAddress(value) : value);
  if (field === "locked") return value === "true" ? filters.locked : filters.unlocked;
  if (field.startsWith("is:")) return value;
  const end = (name: string): string | undefined => valid.find(([each]) => each.startsWith(`${name}:`))?.[1];
  return rangeText(end("from"), end("to"));
}

function rangeText(from: string | undefined, to: string | undefined): string {
  const { filters } = words();
  if (from !== undefined && to !== undefined) {
    const [first, last] = [boundText(from), boundText(to)];
    return first === last ? first : filters.between(first, last);
  }
  if (from !== undefined) return (DAY.test(from) ? filters.since : filters.orMore)(boundText(from));
  const end = to ?? "";
  return (DAY.test(end) ? filters.until : filters.orLess)(boundText(end));
}

function boundText(text: string): string {
  const number = parseNumber(text);
  if (number !== undefined) return formatNumber(number);
  return DAY.test(text) ? formatDate(readBound(text, false) ?? 0) : text;
}

/** The query string that finds the tokens with a trait's value; for a date, those of its day. */
export function queryOf({
  trait_type,
  display_type,
  value,
}: Pick<Trait, "trait_type" | "display_type" | "value">): string {
  const isRange = display_type === "number" || display_type === "date";
  const text = display_type === "date" ? dayOf(Number(value)) : String(value);
  const ends = isRange ? ["from", "to"] : ["is"];
  return new URLSearchParams(ends.map((end): [string, string] => [`${end}:${trait_type}`, text])).toString();
}

/** How many characters a text has in a query string. */
export const encodedLength = (text: string): number => String(new URLSearchParams([[text, ""]])).length - 1;

// The limit of a Date in either direction (ECMA-262, 21.4.1.1).
const SECONDS_MAX = 8.64e12;

/** The inverse of `readBound` for days; the seconds themselves if the day has no such form. */
export function dayOf(seconds: number): string {
  if (!(Math.abs(seconds) <= SECONDS_MAX)) return String(seconds);
  const day = new Date(seconds * 1000).toISOString().slice(0, "YYYY-MM-DD".length);
  return DAY.test(day) ? day : String(seconds);
}
