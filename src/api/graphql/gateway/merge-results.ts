/** Merges the answers of both halves in the order of the operation's fields. */

import {
  type DocumentNode,
  GraphQLError,
  GraphQLIncludeDirective,
  type GraphQLSchema,
  GraphQLSkipDirective,
  getDirectiveValues,
  isNonNullType,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from "graphql";
import type { GraphqlResult } from "../errors.ts";
import { fragmentsOf } from "./split-operation.ts";

/**
 * An operation's response keys and the field behind each, in the order of the answer. `variables` are coerced. Returns
 * an error when the variable of a directive is null.
 */
export function rootFields(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  variables: Readonly<Record<string, unknown>>,
): Map<string, string> | GraphQLError {
  const fragments = fragmentsOf(document);
  const visited = new Set<string>();
  const fields = new Map<string, string>();

  const isIncluded = (selection: SelectionNode): boolean =>
    getDirectiveValues(GraphQLSkipDirective, selection, variables)?.if !== true &&
    getDirectiveValues(GraphQLIncludeDirective, selection, variables)?.if !== false;

  const collect = (set: SelectionSetNode | undefined): void => {
    for (const selection of set?.selections.filter(isIncluded) ?? []) {
      if (selection.kind === Kind.INLINE_FRAGMENT) {
        collect(selection.selectionSet);
      } else if (selection.kind === Kind.FRAGMENT_SPREAD) {
        const name = selection.name.value;
        if (visited.has(name)) continue;
        visited.add(name);
        collect(fragments.get(name)?.selectionSet);
      } else {
        const key = (selection.alias ?? selection.name).value;
        if (!fields.has(key)) fields.set(key, selection.name.value);
      }
    }
  };

  try {
    collect(operation.selectionSet);
    return fields;
  } catch (error) {
    if (error instanceof GraphQLError) return error;
    throw error;
  }
}

/**
 * One result from those of both halves. A field that neither answers is null, and so is `data` if the field's type
 * forbids null: the GraphQL specification's rule for failed fields. Without data from either half, there is none.
 */
export function mergeResults(
  fields: ReadonlyMap<string, string>,
  schema: GraphQLSchema,
  results: readonly GraphqlResult[],
): GraphqlResult {
  const errors = results.flatMap((result) => result.errors ?? []);
  const isRefused = results.every((result) => result.data === undefined);
  return {
    ...(errors.length > 0 && { errors }),
    ...(!isRefused && { data: mergeData(fields, schema, results) }),
  };
}

function mergeData(
  fields: ReadonlyMap<string, string>,
  schema: GraphQLSchema,
  results: readonly GraphqlResult[],
): GraphqlResult["data"] {
  const types = schema.getQueryType()?.getFields() ?? {};
  // An alias may be `__proto__`, which only an object without a prototype stores as a plain key.
  const data: Record<string, unknown> = Object.create(null);
  for (const [key, field] of fields) {
    const answered = results.find((result) => result.data && Object.hasOwn(result.data, key));
    const value = answered?.data?.[key] ?? null;
    if (value === null && isNonNullType(types[field]?.type)) return null;
    data[key] = value;
  }
  return data;
}
