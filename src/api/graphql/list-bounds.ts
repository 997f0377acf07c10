/** The bounds of Ponder's paging arguments, wherever in an operation they stand. */

import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLSchema,
  isObjectType,
  type OperationDefinitionNode,
  TypeInfo,
  valueFromASTUntyped,
  visit,
  visitWithTypeInfo,
} from "graphql";
import { reachableFragments } from "./split-operation.ts";

// Ponder refuses a limit above 1000 but drops a negative one, and then answers every row.
const BOUNDS: ReadonlyMap<string, { readonly max: number; readonly text: string }> = new Map([
  ["limit", { max: 1000, text: "between 0 and 1000" }],
  ["offset", { max: Number.POSITIVE_INFINITY, text: "at least 0" }],
]);

/** Every `limit` and `offset` of Ponder's fields that an operation of a valid document can reach. */
export function findPagingArguments(
  merged: GraphQLSchema,
  ponder: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): ArgumentNode[] {
  const found: ArgumentNode[] = [];
  for (const definition of [operation, ...reachableFragments(document, operation)]) {
    const types = new TypeInfo(merged);
    visit(
      definition,
      visitWithTypeInfo(types, {
        Field(field: FieldNode) {
          const parent = ponder.getType(types.getParentType()?.name ?? "");
          const declared = isObjectType(parent) ? parent.getFields()[field.name.value]?.args : undefined;
          const isPonders = (name: string): boolean =>
            declared?.some((argument) => argument.name === name) ?? false;
          found.push(
            ...(field.arguments ?? []).filter(({ name }) => BOUNDS.has(name.value) && isPonders(name.value)),
          );
        },
      }),
    );
  }
  return found;
}

/** One error for each argument out of bounds. `variables` are coerced, so their defaults are in them. */
export function pagingErrors(
  pagingArguments: readonly ArgumentNode[],
  variables: Readonly<Record<string, unknown>>,
): GraphQLError[] {
  return pagingArguments.flatMap((argument) => {
    const name = argument.name.value;
    const value: unknown = valueFromASTUntyped(argument.value, variables);
    const bounds = BOUNDS.get(name);
    // Without a value, Ponder's own default of 50 rows holds.
    if (bounds === undefined || value === null || value === undefined) return [];
    if (typeof value === "number" && value >= 0 && value <= bounds.max) return [];
    return [new GraphQLError(`${name} is ${String(value)}; it must be ${bounds.text}`, { nodes: argument })];
  });
}
