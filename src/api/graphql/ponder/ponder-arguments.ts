/** Refuses arguments of Ponder's fields that it would answer with an internal error or with every row. */

import { type ArgumentNode, GraphQLError, valueFromASTUntyped } from "graphql";
import { shown } from "../../../invalid-value.ts";
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
  const progress: Progress = { valuesLeft: ARGUMENT_VALUES_MAX, conditions: 0 };
  return asked.flatMap(({ table, isList, arguments: given }) => {
    const values = Object.fromEntries(
      given.map(({ name, value }) => [name.value, valueFromASTUntyped(value, variables)]),
    );
    return given.flatMap((argument) => {
      const name = argument.name.value;
      const value = values[name];
      if (isList && name === "where") return filterErrors(argument, value, progress);
      // A request may name an argument `__proto__`.
      const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
      const must = isList ? rule?.(value, table, values) : keyRule(value, table.columns.get(name));
      return must === undefined ? [] : refusal(argument, { path: name, received: shown(value), must });
    });
  });
}

/** Checks one part of a row's key. Ponder declares a Float for an integer column. */
function keyRule(value: unknown, type: string | undefined): string | undefined {
  if (holdsNul(value)) return WITHOUT_NUL;
  const isWhole = typeof value === "number" && (value | 0) === value;
  return type === "Int" && !isWhole ? "a whole number of 32 bits" : undefined;
}

function filterErrors(argument: ArgumentNode, filter: unknown, progress: Progress): GraphQLError[] {
  const found = filter === undefined ? undefined : findFault(filter, argument.name.value, progress);
  return found ? refusal(argument, found) : [];
}

function refusal(argument: ArgumentNode, { path, received, must }: Fault): GraphQLError[] {
  return [new GraphQLError(`${path} is ${received}; it must be ${must}`, { nodes: argument })];
}

interface Fault {
  readonly path: string;
  readonly received: string;
  readonly must: string;
}

/** How far an operation's filters have been gone through. */
interface Progress {
  valuesLeft: number;
  conditions: number;
}

/**
 * The first fault of a filter: a null where Ponder needs a list, an object or text, an alternative without a condition, or
 * text that no column can contain.
 */
function findFault(filter: unknown, path: string, progress: Progress): Fault | undefined {
  if (filter === null) return { path, received: "null", must: "an object, or left out" };
  // Validation refuses a filter that is no object.
  if (typeof filter !== "object") return undefined;
  for (const [key, value] of Object.entries(filter as Values)) {
    // A variable without a value leaves its condition out.
    const found = value === undefined ? undefined : findFaultOfEntry(key, value, path, progress);
    if (found) return found;
  }
  return undefined;
}

function findFaultOfEntry(key: string, value: unknown, outer: string, progress: Progress): Fault | undefined {
  const path = `${outer}.${key}`;
  const isBranch = key === "AND" || key === "OR";
  // A null operand of a comparison is a value.
  if (value === null && (isBranch || key.endsWith("_in")))
    return { path, received: "null", must: "a list, or left out" };
  if (!isBranch) progress.conditions++;
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  if (key === "OR" && values.length === 0)
    return { path, received: "an empty list", must: "a list with a condition, or left out" };
  for (const each of values) {
    if (progress.valuesLeft-- <= 0) return undefined;
    const found = isBranch
      ? findFaultOfBranch(each ?? null, { isAlternative: key === "OR", path }, progress)
      : faultOfOperand(each, key, path);
    if (found) return found;
  }
  return undefined;
}

/** An object without a condition holds for every row: an AND has as many with it as without, an OR has all. */
function findFaultOfBranch(
  filter: unknown,
  { isAlternative, path }: { readonly isAlternative: boolean; readonly path: string },
  progress: Progress,
): Fault | undefined {
  const { conditions } = progress;
  const found = findFault(filter, path, progress);
  // With no values left, its conditions have not all been seen.
  const isEmpty = isAlternative && progress.conditions === conditions && progress.valuesLeft >= 0;
  if (found || !isEmpty) return found;
  return { path, received: "an object without a condition", must: "one with a condition, or left out" };
}

const TEXT_CONDITION = /_(?:contains|starts_with|ends_with)(?:_nocase)?$/;

function faultOfOperand(value: unknown, key: string, path: string): Fault | undefined {
  if (holdsNul(value)) return { path, received: shown(value), must: WITHOUT_NUL };
  // Ponder would look for the word.
  if (value === null && TEXT_CONDITION.test(key))
    return { path, received: "null", must: "text, or left out" };
  return undefined;
}

// PostgreSQL refuses such text.
const WITHOUT_NUL = "text without U+0000";
const holdsNul = (value: unknown): boolean => typeof value === "string" && value.includes("\0");

const isColumn = (value: unknown, { columns }: PonderTable): value is string =>
  typeof value === "string" && columns.has(value);

const isWithin = (value: unknown, min: number, max = Number.POSITIVE_INFINITY): boolean =>
  typeof value === "number" && value >= min && value <= max;
