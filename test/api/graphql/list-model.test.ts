/**
 * Ponder's lists, with any filter, in any order, read page by page in both directions while their rows change: each page
 * has the rows that a list in memory has.
 */

import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createHarness, type Harness } from "./endpoint-harness.ts";
import { createPonderEndpoint, type PonderEndpoint } from "./ponder-endpoint.ts";

let ponder: PonderEndpoint;
let harness: Harness;

beforeAll(async () => {
  ponder = await createPonderEndpoint();
  harness = await createHarness(ponder);
});

afterAll(() => ponder.close());

type Value = string | number | null;
type Row = Readonly<Record<string, Value>>;
type Operand = Value | readonly Value[];
interface Filter {
  readonly [condition: string]: Operand | readonly Filter[];
}

interface Column {
  readonly name: string;
  readonly sql: string;
  readonly values: readonly Value[];
  readonly suffixes: readonly string[];
  /** What texts are looked for in it. */
  readonly texts?: readonly string[];
  readonly isHex?: boolean;
  /** Whether GraphQL has its values in quotes. */
  readonly isBigInt?: boolean;
}
interface List {
  readonly field: string;
  readonly table: string;
  readonly columns: readonly [key: Column, ...others: Column[]];
}

const NUMERIC = ["", "_not", "_in", "_not_in", "_gt", "_gte", "_lt", "_lte"];
const TEXT = ["_contains", "_starts_with", "_ends_with"].flatMap((suffix) => [suffix, `_not${suffix}`]);
const HEX = ["", "_not", "_in", "_not_in", ...TEXT];

const tokens: List = {
  field: "tokens",
  table: "token",
  columns: [
    { name: "id", sql: "id", values: [1, 2, 3, 4, 5, 6, 7, 8, 9], suffixes: NUMERIC, isBigInt: true },
    {
      ...{ name: "collectionAddress", sql: "collection_address", isHex: true },
      values: ["0xaa", "0xab", "0xba"],
      suffixes: HEX,
      texts: ["0xA", "0XB", "a", "A", "BA", "_a", "%"],
    },
    { name: "lockCount", sql: "lock_count", values: [0, 1, 2], suffixes: NUMERIC },
  ],
};
const collections: List = {
  field: "collections",
  table: "collection",
  columns: [
    {
      ...{ name: "address", sql: "address", isHex: true },
      values: ["0x01", "0x02", "0x0a", "0xa0", "0xaf", "0xf1"],
      suffixes: HEX,
      texts: ["0X0", "A", "_1", "%a"],
    },
    {
      ...{ name: "name", sql: "name" },
      // The first letter decides their order, in every collation.
      values: ["Aows", "B_ws", "C%", "D\\", null],
      suffixes: [...HEX, ...TEXT.map((suffix) => `${suffix}_nocase`)],
      texts: ["_", "_ws", "OWS", "%", "C%", "\\", "d\\", "\\\\", "s"],
    },
  ],
};

type Test = (value: Exclude<Value, null>, operand: never) => boolean;
const isEqual: Test = (value, operand) => value === operand;
const contains: Test = (value: unknown, text: string) => String(value).includes(text);
const startsWith: Test = (value: unknown, text: string) => String(value).startsWith(text);
const endsWith: Test = (value: unknown, text: string) => String(value).endsWith(text);
const tests: Readonly<Record<string, Test>> = {
  "": isEqual,
  _in: (value, operand: readonly Value[]) => operand.includes(value),
  _gt: (value, operand: number) => Number(value) > operand,
  _gte: (value, operand: number) => Number(value) >= operand,
  _lt: (value, operand: number) => Number(value) < operand,
  _lte: (value, operand: number) => Number(value) <= operand,
  _contains: contains,
  _starts_with: startsWith,
  _ends_with: endsWith,
};

const lower = (operand: Operand): Operand => (typeof operand === "string" ? operand.toLowerCase() : operand);

function holds({ isHex }: Column, suffix: string, value: Value, operand: Operand): boolean {
  const isNegated = suffix.startsWith("_not");
  if (operand === null) return (value === null) !== isNegated;
  // A comparison with a null is never true; an empty list compares with nothing.
  if (value === null) return suffix === "_not_in" && (operand as readonly Value[]).length === 0;
  const ignoresCase = isHex || suffix.endsWith("_nocase");
  const test = tests[suffix.replace(/^_not/, "").replace(/_nocase$/, "")] as Test;
  const given = ignoresCase ? [lower(value), lower(operand)] : [value, operand];
  return test(given[0] as string, given[1] as never) !== isNegated;
}

function matches(list: List, filter: Filter, row: Row): boolean {
  return Object.entries(filter).every(([name, operand]) => {
    if (name === "AND") return (operand as readonly Filter[]).every((each) => matches(list, each, row));
    if (name === "OR") return (operand as readonly Filter[]).some((each) => matches(list, each, row));
    const column = list.columns.find((each) => name.startsWith(each.name)) as Column;
    return holds(column, name.slice(column.name.length), row[column.name] as Value, operand as Operand);
  });
}

function operandOf({ values, texts = [] }: Column, suffix: string): fc.Arbitrary<Operand> {
  const some = values.filter((value) => value !== null);
  if (suffix.endsWith("_in")) return fc.subarray(some);
  if (suffix === "" || suffix === "_not") return fc.constantFrom(...values);
  return TEXT.includes(suffix.replace(/_nocase$/, "")) ? fc.constantFrom(...texts) : fc.constantFrom(...some);
}

const hasCondition = (filter: Filter): boolean =>
  Object.entries(filter).some(
    ([name, value]) => name !== "AND" || (value as readonly Filter[]).some(hasCondition),
  );

function filterOf(list: List): fc.Arbitrary<Filter> {
  const conditions = list.columns.flatMap((column) =>
    column.suffixes.map((suffix) =>
      operandOf(column, suffix).map((operand) => [`${column.name}${suffix}`, operand] as const),
    ),
  );
  const { filter } = fc.letrec<{ filter: Filter }>((tie) => {
    const branch = fc.oneof(
      fc.tuple(fc.constant("AND"), fc.array(tie("filter"), { maxLength: 3 })),
      fc.tuple(
        fc.constant("OR"),
        fc.array(tie("filter").filter(hasCondition), { minLength: 1, maxLength: 3 }),
      ),
    );
    const entry = fc.oneof({ maxDepth: 3, withCrossShrink: true }, fc.oneof(...conditions), branch);
    return { filter: fc.array(entry, { maxLength: 3 }).map((entries) => Object.fromEntries(entries)) };
  });
  return filter;
}

const rowOf = ({ columns }: List): fc.Arbitrary<Row> =>
  fc.record(Object.fromEntries(columns.map(({ name, values }) => [name, fc.constantFrom(...values)])));

interface Step {
  /** A row that is deleted, or written over the one of its key, before the page is read. */
  readonly change: { readonly row: Row; readonly isDeleted: boolean } | null;
  readonly direction: "after" | "before";
  readonly edge: "start" | "end";
  readonly limit: number;
}
interface Walk {
  readonly rows: readonly Row[];
  readonly where: Filter;
  readonly orderBy: Column;
  readonly orderDirection: "asc" | "desc";
  readonly steps: readonly Step[];
}

function walkOf(list: List): fc.Arbitrary<Walk> {
  const [key] = list.columns;
  const row = rowOf(list);
  return fc.record({
    rows: fc.uniqueArray(row, { selector: (each) => each[key.name], minLength: 4 }),
    where: fc.oneof(fc.constant({}), filterOf(list)),
    orderBy: fc.constantFrom(...list.columns),
    orderDirection: fc.constantFrom("asc", "desc"),
    steps: fc.array(
      fc.record({
        change: fc.option(fc.record({ row, isDeleted: fc.boolean() })),
        direction: fc.constantFrom("after", "before"),
        edge: fc.constantFrom("start", "end"),
        limit: fc.integer({ min: 0, max: 4 }),
      }),
      { minLength: 2, maxLength: 7 },
    ),
  });
}

const literal = (value: Value): string => (typeof value === "string" ? `'${value}'` : String(value));

const write = ({ table, columns }: List, row: Row): string => {
  const values = columns.map(({ name }) => literal(row[name] as Value));
  const updates = columns.map(({ sql }) => `${sql} = excluded.${sql}`);
  return `insert into ${table} values (${values}) on conflict (${columns[0].sql}) do update set ${updates};`;
};

/** The order of a list: values, nulls as the greatest, and then the key. */
function compare({ columns: [key] }: List, { orderBy, orderDirection }: Walk) {
  const compareValues = (a: Value, b: Value): number => {
    if (a === b) return 0;
    if (a === null) return 1;
    return b === null || a < b ? -1 : 1;
  };
  return (a: Row, b: Row): number => {
    const order =
      compareValues(a[orderBy.name] as Value, b[orderBy.name] as Value) ||
      compareValues(a[key.name] as Value, b[key.name] as Value);
    return orderDirection === "asc" ? order : -order;
  };
}

interface Page {
  readonly items: readonly Row[];
  readonly totalCount: number;
  readonly hasNextPage: boolean;
  readonly hasPreviousPage: boolean;
}

/** What the list has of `sorted` after or before a row, which may not be in it any more, or from its start. */
function pageOf(
  sorted: readonly Row[],
  { direction, limit }: Step,
  cursor: Row | undefined,
  order: (a: Row, b: Row) => number,
): Page {
  const totalCount = sorted.length;
  const isBack = cursor !== undefined && direction === "before";
  const rest = sorted.filter(
    (row) => cursor === undefined || (isBack ? order(row, cursor) < 0 : order(row, cursor) > 0),
  );
  const items = isBack ? rest.slice(Math.max(0, rest.length - limit)) : rest.slice(0, limit);
  const isMore = rest.length > limit;
  const isBehind = rest.length < totalCount;
  return {
    ...{ items, totalCount },
    ...(isBack
      ? { hasNextPage: isBehind, hasPreviousPage: isMore }
      : { hasNextPage: isMore, hasPreviousPage: isBehind }),
  };
}

interface Cursors {
  readonly startCursor: string | null;
  readonly endCursor: string | null;
}

async function readPage(
  list: List,
  { where, orderBy, orderDirection }: Walk,
  { direction, limit }: Step,
  cursor: string | undefined,
): Promise<Page & Cursors> {
  const query = `query ($where: ${list.table}Filter, $cursor: String) {
    list: ${list.field}(where: $where, orderBy: "${orderBy.name}", orderDirection: "${orderDirection}", limit: ${limit}, ${direction}: $cursor) {
      totalCount
      items { ${list.columns.map(({ name }) => name).join(" ")} }
      pageInfo { hasNextPage hasPreviousPage startCursor endCursor }
    }
  }`;
  const { data, errors } = await harness.ask({ query, variables: { where, cursor } });
  expect(errors).toBeUndefined();
  const page = data?.list as { totalCount: number; items: readonly Row[]; pageInfo: Page & Cursors };
  const read = (row: Row): Row =>
    Object.fromEntries(
      list.columns.map(({ name, isBigInt }) => [name, isBigInt ? Number(row[name]) : (row[name] as Value)]),
    );
  return { ...page.pageInfo, totalCount: page.totalCount, items: page.items.map(read) };
}

async function follow(list: List, walk: Walk): Promise<void> {
  const key = list.columns[0].name;
  const rows = new Map(walk.rows.map((row) => [row[key], row]));
  await ponder.run(`truncate ${list.table}; ${walk.rows.map((row) => write(list, row)).join(" ")}`);
  const order = compare(list, walk);
  let edges: Readonly<Record<Step["edge"], { readonly row: Row; readonly cursor: string } | undefined>> = {
    start: undefined,
    end: undefined,
  };
  for (const step of walk.steps) {
    if (step.change) {
      const { row, isDeleted } = step.change;
      if (isDeleted) rows.delete(row[key]);
      else rows.set(row[key], row);
      await ponder.run(
        isDeleted
          ? `delete from ${list.table} where ${list.columns[0].sql} = ${literal(row[key] as Value)}`
          : write(list, row),
      );
    }
    const from = edges[step.edge];
    const { startCursor, endCursor, ...page } = await readPage(list, walk, step, from?.cursor);
    const sorted = [...rows.values()].filter((row) => matches(list, walk.where, row)).sort(order);
    expect(page).toEqual(pageOf(sorted, step, from?.row, order));

    const edge = (row: Row | undefined, cursor: string | null) =>
      row && cursor !== null ? { row, cursor } : undefined;
    // A page without rows has no cursors: the walk goes on from where it was.
    if (page.items.length > 0)
      edges = { start: edge(page.items[0], startCursor), end: edge(page.items.at(-1), endCursor) };
  }
}

describe("a list whose rows change while it is read", () => {
  it.each([
    ["numbers and addresses", tokens],
    ["texts, some of them null", collections],
  ])("has on each page the rows that match, each in its place: %s", async (_what, list) => {
    await fc.assert(
      fc.asyncProperty(walkOf(list), (walk) => follow(list, walk)),
      { numRuns: 40 },
    );
  });
});
