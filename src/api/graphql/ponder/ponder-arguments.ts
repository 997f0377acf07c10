/** Refuses arguments of Ponder's fields that it would answer with an internal error or with every row. */

import { type ArgumentNode, GraphQLError, valueFromASTUntyped } from "graphql";
import { shown } from "../../../invalid-value.ts";
import { withoutTrailing } from "../../text/without-trailing.ts";
import { isCursor } from "./cursor.ts";
import type { AskedField, PonderTable } from "./ponder-tables.ts";

type Values = Readonly<Record<string, unknown>>;
/** Says what an argument must be, if it is anything else. */
type Rule = (value: unknown, table: PonderTable, values: Values) => string | undefined;

// Ponder refuses a limit above 1000, but ignores a negative one and then returns every row. Without a value, its own
// default of 50 rows applies.
const LIMIT_MAX = 1000;

/** An operation uses a variable as often as it likes: one with more values in its arguments costs more than it may. */
export const ARGUMENT_VALUES_MAX = 40_000;

const cursor: Rule = (value, table, { orderBy, after, before, offset }) => {
  if (value == null) return undefined;
  if (after != null && before != null) return "used without the other of after and before";
  if (typeof offset === "number" && offset > 0) return "used without an offset";
  // Another rule refuses an unknown order.
  if (orderBy !== undefined && !isColumn(orderBy, table)) return undefined;
  if (typeof value === "string" && isCursor(value, table, orderBy)) return undefined;
  return "a startCursor or endCursor of the same list in the same order";
};

const rules: Readonly<Record<string, Rule>> = {
  limit: (value) =>
    value == null || isWithin(value, 0, LIMIT_MAX) ? undefined : `between 0 and ${LIMIT_MAX}`,
  offset: (value) => (value == null || isWithin(value, 0) ? undefined : "at least 0"),
  orderBy: (value, table) =>
    value === undefined || isColumn(value, table)
      ? undefined
      : `a column of ${table.name}: ${[...table.columns.keys()].join(", ")}`,
  // Ponder treats everything but "asc" as descending.
  orderDirection: (value) =>
    value == null || value === "asc" || (typeof value === "string" && value.toLowerCase() === "desc")
      ? undefined
      : '"asc" or "desc"',
  after: cursor,
  before: cursor,
};

/** One error for each argument that Ponder can't answer. `variables` are coerced, including defaults. */
export function argumentErrors(asked: readonly AskedField[], variables: Values): GraphQLError[] {
  const budget: Budget = { values: ARGUMENT_VALUES_MAX };
  return asked.flatMap(({ table, isList, arguments: given }) => {
    const values = Object.fromEntries(
      given.map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]),
    );
    return given.flatMap((argument) => {
      const name = argument.name.value;
      const value = values[name];
      if (isList && name === "where") return filterErrors(argument, value, budget);
      // A request may name an argument `__proto__`.
      const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
      const must = isList ? rule?.(value, table, values) : keyRule(value, table.columns.get(name));
      return must === undefined ? [] : refusal(argument, name, value, must);
    });
  });
}

/** Checks one part of a row's key. Ponder declares a Float for an integer column. */
function keyRule(value: unknown, type: string | undefined): string | undefined {
  if (holdsNul(value)) return WITHOUT_NUL;
  const isWhole = typeof value === "number" && (value | 0) === value;
  return type === "Int" && !isWhole ? "a whole number of 32 bits" : undefined;
}

function filterErrors(argument: ArgumentNode, filter: unknown, budget: Budget): GraphQLError[] {
  const found = filter === undefined ? undefined : findFault(filter, argument.name.value, budget);
  return found ? refusal(argument, found.path, found.value, found.must) : [];
}

function refusal(argument: ArgumentNode, path: string, value: unknown, must: string): GraphQLError[] {
  return [new GraphQLError(`${path} is ${shown(value)}; it must be ${must}`, { nodes: argument })];
}

interface Fault {
  readonly path: string;
  readonly value: unknown;
  readonly must: string;
}

/** How many values are still gone through. */
interface Budget {
  values: number;
}

/** The first fault of a filter: a null where Ponder needs a list or an object, or text that no column can contain. */
function findFault(filter: unknown, path: string, budget: Budget): Fault | undefined {
  if (filter === null) return { path, value: null, must: "an object, or left out" };
  // Validation refuses a filter that is no object.
  if (typeof filter !== "object") return undefined;
  for (const [key, value] of Object.entries(filter as Values)) {
    const inner = `${path}.${key}`;
    const isBranch = key === "AND" || key === "OR";
    // A null operand of a comparison is a value.
    if (value === null && (isBranch || key.endsWith("_in")))
      return { path: inner, value, must: "a list, or left out" };
    for (const each of Array.isArray(value) ? value : [value]) {
      if (budget.values-- <= 0) return undefined;
      const must = isBranch ? undefined : faultOfText(each, key);
      const found = isBranch ? findFault(each, inner, budget) : must && { path: inner, value: each, must };
      if (found) return found;
    }
  }
  return undefined;
}

function faultOfText(value: unknown, key: string): string | undefined {
  if (holdsNul(value)) return WITHOUT_NUL;
  // Ponder turns it into a pattern, in which a trailing backslash would escape nothing.
  const isPattern = key.endsWith("_ends_with") || key.endsWith("_ends_with_nocase");
  const isOpen = isPattern && typeof value === "string" && endingBackslashes(value) % 2 === 1;
  return isOpen ? "text that ends with an even number of backslashes" : undefined;
}

const endingBackslashes = (text: string): number => text.length - withoutTrailing(text, "\\").length;

// PostgreSQL refuses such text.
const WITHOUT_NUL = "text without U+0000";
const holdsNul = (value: unknown): boolean => typeof value === "string" && value.includes("\0");

const isColumn = (value: unknown, { columns }: PonderTable): value is string =>
  typeof value === "string" && columns.has(value);

const isWithin = (value: unknown, min: number, max = Number.POSITIVE_INFINITY): boolean =>
  typeof value === "number" && value >= min && value <= max;
