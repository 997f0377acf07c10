/** Scalars whose numbers a double can't hold: each is taken exactly, or refused. */

import { type GraphQLSchema, isScalarType, Kind, print, valueFromASTUntyped } from "graphql";
import { shown } from "../../../invalid-value.ts";
import { isExact } from "../../metadata/rules.ts";

/** A whole number of as many digits as Ponder's columns of big numbers hold, numeric(78). */
export const BIG_NUMBER = /^-?\d{1,78}$/;

/**
 * Gives BigInt the rule of Ponder (graphql/index.ts, GraphQLBigInt), for decimal digits only, and refuses a number that
 * JSON has rounded. Introspection does not carry a scalar's rules, and in production Ponder redacts its error for a number
 * or a malformed id ("Unexpected error.").
 */
export function restoreBigInt(schema: GraphQLSchema): void {
  const scalar = schema.getType("BigInt");
  if (!isScalarType(scalar)) return;
  scalar.serialize = String;
  scalar.parseValue = (value) => {
    requireExact(value);
    return toBigInt(value, JSON.stringify(value));
  };
  scalar.parseLiteral = (node) => toBigInt(node.kind === Kind.STRING ? node.value : undefined, print(node));
}

/**
 * Gives BigDecimal its rule: a number of the document that a double can't hold is the text that it is written as, and one
 * of the variables is refused.
 */
export function defineBigDecimal(schema: GraphQLSchema): void {
  const scalar = schema.getType("BigDecimal");
  if (!isScalarType(scalar)) return;
  scalar.parseValue = (value) => {
    requireExact(value);
    return value;
  };
  scalar.parseLiteral = (node, variables) => {
    if (node.kind !== Kind.INT && node.kind !== Kind.FLOAT) return valueFromASTUntyped(node, variables);
    const number = Number(node.value);
    return isWithinDouble(number) && isExact(node.value, number) ? number : node.value;
  };
}

const isWithinDouble = (number: number): boolean => Math.abs(number) <= Number.MAX_SAFE_INTEGER;

// JSON.parse has rounded it, so the number that was sent is not known.
function requireExact(value: unknown): void {
  if (typeof value !== "number" || isWithinDouble(value)) return;
  throw new TypeError(
    `a number from 2^53 up is not exact in JSON: it was read as ${shown(value)}; send it as a string`,
  );
}

function toBigInt(value: unknown, text: string): bigint {
  // BigInt would take blank text for 0, and 0x, 0o and 0b.
  const isWhole = typeof value === "string" ? BIG_NUMBER.test(value) : Number.isInteger(value);
  if (isWhole) return BigInt(value as string | number);
  throw new TypeError(
    `a BigInt is a whole number in quotes, such as "7", with at most 78 digits; received ${text}`,
  );
}
