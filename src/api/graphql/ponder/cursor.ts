/** The cursors of Ponder's lists: the ordered columns of a row, as superjson and base64. */

import { isStorable } from "../../text/storable.ts";
import { BIG_NUMBER } from "../gateway/exact-scalars.ts";
import type { PonderTable } from "./ponder-tables.ts";

/**
 * Whether Ponder can continue a list of that order from a cursor: it has a value for each ordering column, which are
 * `orderBy`'s and those of the primary key (graphql/index.ts, buildOrderBySchema and encodeCursor).
 */
export function isCursor(text: string, { columns, key }: PonderTable, orderBy: string | undefined): boolean {
  const { row, kinds, equals } = read(text);
  // Superjson makes of a value what its kind says: a date, a pattern, an object of a class.
  const isBigNumber = ([name, kind]: [string, unknown]): boolean =>
    columns.get(name) === "BigInt" && Object.hasOwn(row, name) && isDigits(row[name]) && isBig(kind);
  if (!kinds || !Object.entries(kinds).every(isBigNumber)) return false;
  // Big numbers that are equal; of another name, superjson would make a path.
  const isEqual = (name: string, other: unknown): boolean =>
    typeof other === "string" && Object.hasOwn(kinds, other) && row[other] === row[name];
  const areEqual = ([name, others]: [string, unknown]): boolean =>
    Object.hasOwn(kinds, name) && Array.isArray(others) && others.every((other) => isEqual(name, other));
  if (!Object.entries(equals).every(areEqual)) return false;
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

interface CursorContent {
  readonly row: Entries;
  /** Superjson's kinds of values that JSON can't represent; undefined for notes that no row needs. */
  readonly kinds: Entries | undefined;
  /** By a column, the others that refer to its value: superjson notes equal big numbers so. */
  readonly equals: Entries;
}

function read(text: string): CursorContent {
  const content = recordOf(parse(Buffer.from(text, "base64").toString()));
  const { values = {}, referentialEqualities = {}, v: _version, ...others } = recordOf(content.meta);
  const row = recordOf(content.json);
  // Superjson takes a list for something about the whole row.
  const isPlain = isByColumn(values) && isByColumn(referentialEqualities) && Object.keys(others).length === 0;
  return isPlain
    ? { row, kinds: values, equals: referentialEqualities }
    : { row, kinds: undefined, equals: {} };
}

const isByColumn = (entries: unknown): entries is Entries =>
  typeof entries === "object" && entries !== null && !Array.isArray(entries);

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
