/** The cursors of Ponder's lists: the ordered columns of a row, as superjson and base64. */

import { isStorable } from "../../text/storable.ts";
import type { PonderTable } from "./ponder-tables.ts";

// As many as its columns of big numbers take, numeric(78).
const BIG_NUMBER = /^-?\d{1,78}$/;

/**
 * Whether Ponder can continue a list of that order from a cursor: it has a value for each ordering column, which are
 * `orderBy`'s and those of the primary key (graphql/index.ts, buildOrderBySchema and encodeCursor).
 */
export function isCursor(text: string, { columns, key }: PonderTable, orderBy: string | undefined): boolean {
  const { row, kinds } = read(text);
  // Superjson makes of a value what its kind says: a date, a pattern, an object of a class.
  const isBigNumber = ([name, kind]: [string, unknown]): boolean =>
    columns.get(name) === "BigInt" && Object.hasOwn(row, name) && isDigits(row[name]) && isBig(kind);
  if (!kinds || !Object.entries(kinds).every(isBigNumber)) return false;
  const ordered = orderBy === undefined ? key : [orderBy, ...key];
  return ordered.every((name) => {
    if (!Object.hasOwn(row, name)) return false;
    return row[name] === null || isValue(row[name], columns.get(name), Object.hasOwn(kinds, name));
  });
}

const isDigits = (value: unknown): boolean => typeof value === "string" && BIG_NUMBER.test(value);
const isBig = (kind: unknown): boolean => Array.isArray(kind) && kind.length === 1 && kind[0] === "bigint";

/** Without a kind, which only big numbers have, a value is what it is in JSON. */
function isValue(value: unknown, type: string | undefined, hasKind: boolean): boolean {
  switch (type) {
    case "BigInt":
      return hasKind;
    case "Int":
      return typeof value === "number" && (value | 0) === value;
    case "Float":
      return typeof value === "number";
    case "Boolean":
      return typeof value === "boolean";
    case "String":
      return typeof value === "string" && isStorable(value);
    default:
      return true;
  }
}

type Entries = Readonly<Record<string, unknown>>;

/** The row, and superjson's kinds of values that JSON can't represent; undefined for notes that no row needs. */
function read(text: string): { readonly row: Entries; readonly kinds: Entries | undefined } {
  const content = recordOf(parse(Buffer.from(text, "base64").toString()));
  const { values = {}, referentialEqualities = {}, v: _version, ...others } = recordOf(content.meta);
  const row = recordOf(content.json);
  const isPlain =
    isByColumn(values) && isOfEquals(referentialEqualities, row) && Object.keys(others).length === 0;
  return { row, kinds: isPlain ? values : undefined };
}

/** Superjson takes a list for something about the whole row. */
const isByColumn = (entries: unknown): entries is Entries =>
  typeof entries === "object" && entries !== null && !Array.isArray(entries);

/** Superjson notes equal big numbers as references to one: by a column, the others with its value. */
const isOfEquals = (references: unknown, row: Entries): boolean =>
  isByColumn(references) &&
  Object.entries(references).every(
    ([name, others]) =>
      Object.hasOwn(row, name) &&
      Array.isArray(others) &&
      others.every(
        (other) => typeof other === "string" && Object.hasOwn(row, other) && row[other] === row[name],
      ),
  );

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

const recordOf = (value: unknown): Entries =>
  typeof value === "object" && value !== null ? (value as Entries) : {};
