/** Runs our part of an operation with graphql-js. */

import {
  type DocumentNode,
  defaultFieldResolver,
  type ExecutionResult,
  execute,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getNullableType,
  isListType,
} from "graphql";
import { type ErrorReports, executionError, type GraphqlResult } from "../errors.ts";

/**
 * Answers one root field. Nested fields are read from the value: a property, or a method called the same way. `never`
 * lets a resolver name the arguments that its field declares; graphql-js has checked them by then.
 */
export type FieldResolver<Context> = (args: never, context: Context) => unknown;

export interface RootValue<Context> {
  readonly Query: Readonly<Record<string, FieldResolver<Context>>>;
  readonly Mutation: Readonly<Record<string, FieldResolver<Context>>>;
}

export interface OwnRequest<Context> {
  readonly schema: GraphQLSchema;
  readonly document: DocumentNode;
  readonly root: Readonly<Record<string, FieldResolver<Context>>>;
  readonly context: Context;
  readonly variables: Readonly<Record<string, unknown>>;
}

/** Executes a valid document of one operation. A failed resolver is an error of its field, not a rejection. */
export async function runOwn<Context>(
  request: OwnRequest<Context>,
  reports: ErrorReports,
): Promise<GraphqlResult> {
  const { data, errors }: ExecutionResult = await execute({
    schema: request.schema,
    document: request.document,
    rootValue: request.root,
    contextValue: request.context,
    variableValues: request.variables,
    fieldResolver: resolveField,
  });
  return {
    ...(errors && { errors: errors.map((error) => executionError(error, reports)) }),
    ...(data !== undefined && { data }),
  };
}

/** Throws unless `fields` and the resolvers match one to one. */
export function assertResolvers(
  type: string,
  fields: readonly string[],
  resolvers: Readonly<Record<string, unknown>>,
): void {
  const missing = fields.filter((field) => !Object.hasOwn(resolvers, field));
  const surplus = Object.keys(resolvers).filter((name) => !fields.includes(name));
  if (missing.length > 0) throw new Error(`${type} has no resolver for ${missing.join(", ")}`);
  if (surplus.length > 0) throw new Error(`${type} has no field for the resolvers ${surplus.join(", ")}`);
}

type Args = Readonly<Record<string, unknown>>;

const resolveField: GraphQLFieldResolver<unknown, unknown> = (source, args, context, info) => {
  const value: unknown = defaultFieldResolver(source, withDefaults(args, info), context, info);
  return isListType(getNullableType(info.returnType)) ? settleLater(value) : value;
};

/** Null for an argument counts as absent: it stands for the default that the SDL declares, if there is one. */
function withDefaults(args: Args, { parentType, fieldName }: GraphQLResolveInfo): Args {
  const nulls = Object.keys(args).filter((name) => args[name] === null);
  if (nulls.length === 0) return args;
  const declared = parentType.getFields()[fieldName]?.args ?? [];
  const defaults = declared
    .filter(({ name, defaultValue }) => defaultValue !== undefined && nulls.includes(name))
    .map(({ name, defaultValue }) => [name, defaultValue]);
  return { ...args, ...Object.fromEntries(defaults) };
}

// graphql-js 16 abandons a list's pending items when a later item fails synchronously, and an abandoned rejection ends
// the process. If all items are promises, graphql-js waits for each of them.
function settleLater(value: unknown): unknown {
  if (value instanceof Promise) return value.then(settleLater);
  return Array.isArray(value) ? value.map((item: unknown) => Promise.resolve(settleLater(item))) : value;
}
