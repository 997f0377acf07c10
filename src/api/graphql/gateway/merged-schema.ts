/** One schema for introspection and validation: Ponder's generated queries, extended with ours. */

import {
  assertValidSchema,
  buildClientSchema,
  type DocumentNode,
  extendSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  type IntrospectionQuery,
  isTypeExtensionNode,
  Kind,
  parse,
} from "graphql";
import { type PonderHandler, postToPonder } from "../ponder/ponder-half.ts";
import { defineBigDecimal, restoreBigInt } from "./exact-scalars.ts";

/**
 * Ponder's schema by introspection, since Ponder exports no schema object. Sends one request, which needs no database.
 * Throws when the handler answers with anything but a schema.
 */
export async function introspect(handle: PonderHandler): Promise<GraphQLSchema> {
  const text = await postToPonder(handle, JSON.stringify({ query: getIntrospectionQuery() }));
  const answer = JSON.parse(text) as { data?: IntrospectionQuery | null };
  if (!answer.data) throw new Error(`Ponder's GraphQL handler refused introspection: ${text.slice(0, 500)}`);
  const schema = buildClientSchema(answer.data);
  restoreBigInt(schema);
  return schema;
}

/**
 * `base` extended with SDL such as `extend type Query { … }`. Throws when one of our types or root fields has a name
 * that Ponder uses, or when the SDL extends a type that only Ponder can answer.
 */
export function mergeSchema(base: GraphQLSchema, ownSdl: string): GraphQLSchema {
  const own = parse(ownSdl);
  refuseExtensions(base, own);
  try {
    const merged = extendSchema(base, own);
    assertValidSchema(merged);
    defineBigDecimal(merged);
    return merged;
  } catch (error) {
    throw new Error(`Our GraphQL schema does not fit Ponder's: ${messageOf(error)}`, { cause: error });
  }
}

function refuseExtensions(base: GraphQLSchema, own: DocumentNode): void {
  for (const definition of own.definitions) {
    if (!isTypeExtensionNode(definition)) continue;
    const { value: name } = definition.name;
    const onlyFields = definition.kind === Kind.OBJECT_TYPE_EXTENSION && !definition.interfaces?.length;
    if (base.getType(name) && !(name === base.getQueryType()?.name && onlyFields)) {
      throw new Error(
        `Our GraphQL schema extends ${name}, a type of Ponder's; only fields of Query can be added`,
      );
    }
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
