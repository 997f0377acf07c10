/** The cursors of Ponder's lists: the ordered columns of a row, as superjson and base64. */

import type { PonderTable } from "./ponder-tables.ts";

/**
 * Whether Ponder can continue a list of that order from a cursor: it has a value for each ordering column, which are
 * `orderBy`'s and those of the primary key (graphql/index.ts, buildOrderBySchema and encodeCursor).
 */
export function isCursor(text: string, { columns, key }: PonderTable, orderBy: string | undefined): boolean {
  const { json, meta } = read(text);
  const ordered = orderBy === undefined ? key : [orderBy, ...key];
  return ordered.every((name) => {
    if (!Object.hasOwn(json, name)) return false;
    const type = columns.get(name);
    const kind = Object.hasOwn(meta, name) ? String(meta[name]) : undefined;
    return json[name] === null || isValue(json[name], type, kind);
  });
}

/** `kind` is superjson's type annotation for a value that JSON can't represent. */
function isValue(value: unknown, type: string | undefined, kind: string | undefined): boolean {
  switch (type) {
    case "BigInt":
      return kind === "bigint" && typeof value === "string" && /^-?\d+$/.test(value);
    case "Int":
      return kind === undefined && typeof value === "number" && (value | 0) === value;
    case "Float":
      return kind === undefined && typeof value === "number";
    case "Boolean":
      return kind === undefined && typeof value === "boolean";
    case "String":
      return kind !== "bigint" && typeof value === "string";
    default:
      return true;
  }
}

type Entries = Readonly<Record<string, unknown>>;

function read(text: string): { readonly json: Entries; readonly meta: Entries } {
  const content = recordOf(parse(Buffer.from(text, "base64").toString()));
  return { json: recordOf(content.json), meta: recordOf(recordOf(content.meta).values) };
}

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
