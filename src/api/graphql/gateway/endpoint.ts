/** One GraphQL endpoint for Ponder's queries and ours: the side that owns a root field answers it. */

import { GraphQLError, type GraphQLObjectType, type GraphQLSchema, getVariableValues } from "graphql";
import { type ErrorReports, requestError } from "../errors.ts";
import { assertResolvers, type RootValue } from "../own/own-half.ts";
import { argumentErrors } from "../ponder/ponder-arguments.ts";
import type { PonderHandler } from "../ponder/ponder-half.ts";
import { findTables } from "../ponder/ponder-tables.ts";
import { type GraphqlRequest, readRequest } from "../request.ts";
import { costError } from "./cost.ts";
import { cacheByText } from "./document-cache.ts";
import {
  type CachedIntrospection,
  createIntrospectionCache,
  createIntrospectionLimit,
} from "./introspection.ts";
import { sizeError } from "./limits.ts";
import { introspect, mergeSchema } from "./merged-schema.ts";
import { type PreparedDocument, prepareDocument, type Schemas } from "./prepared-document.ts";
import { runOperation } from "./run-operation.ts";

// Fifty mistakes are enough to report at once; graphql-js executes with the same number.
const VARIABLE_ERRORS_MAX = 50;

export interface EndpointDependencies<Context> extends ErrorReports {
  /** Ponder's `graphql()` middleware, behind `POST /graphql`. */
  readonly ponder: PonderHandler;
  /** Extends Ponder's `Query`, and declares `Mutation` with `extend schema { mutation: Mutation }`. */
  readonly ownSdl: string;
  readonly rootValue: RootValue<Context>;
}

export interface EndpointRequest<Context> {
  /** The parsed JSON body, of any shape. */
  readonly body: unknown;
  /** The same body as it arrived; a query only for Ponder is forwarded as this text. */
  readonly text: string;
  /** Passed to each of our resolvers. */
  readonly context: Context;
}

export interface EndpointAnswer {
  readonly status: 200 | 400;
  /** The response body. */
  readonly json: string;
  /** The same in UTF-8, for a cached answer. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
}

export interface GraphqlEndpoint<Context> {
  /** The schema that introspection shows: Ponder's queries and ours. */
  readonly schema: GraphQLSchema;
  /**
   * Answers one request: 400 if the body is not a GraphQL request, otherwise 200 with `errors` for whatever failed, as
   * GraphQL clients expect. Rejects only for an error in this program.
   */
  handle(request: EndpointRequest<Context>): Promise<EndpointAnswer>;
}

/**
 * Reads Ponder's schema once. Throws when that fails, when our SDL does not fit it, or when our root fields and
 * resolvers differ.
 */
export async function createGraphqlEndpoint<Context>(
  dependencies: EndpointDependencies<Context>,
): Promise<GraphqlEndpoint<Context>> {
  const { ponder, rootValue } = dependencies;
  const schemas = await buildSchemas(dependencies);
  assertRootValue(schemas, rootValue);
  const prepare = cacheByText((query) => prepareDocument(query, schemas), isPrepared);
  const introspectionCache = createIntrospectionCache();
  const takeIntrospection = createIntrospectionLimit();

  const answer = async (
    read: GraphqlRequest,
    request: EndpointRequest<Context>,
  ): Promise<string | CachedIntrospection> => {
    const key = `${read.operationName ?? ""}\0${read.query}`;
    const known = introspectionCache.find(key);
    if (known) return known;
    const prepared = prepare(read.query);
    if (!isPrepared(prepared)) return refusal(prepared);
    // Errors in the document come before errors in the request for it.
    const refuse = (errors: readonly GraphQLError[]): string => {
      const mistakes = prepared.findMistakes();
      return refusal(mistakes.length > 0 ? mistakes : errors);
    };
    const operation = prepared.select(read.operationName);
    if (operation instanceof GraphQLError) return refuse([operation]);
    const definitions = operation.definition.variableDefinitions ?? [];
    const { coerced, errors } = getVariableValues(schemas.merged, definitions, read.variables, {
      maxErrors: VARIABLE_ERRORS_MAX,
    });
    if (errors) return refuse(errors);
    const unanswerable = argumentErrors(operation.asked, coerced);
    if (unanswerable.length > 0) return refuse(unanswerable);
    const refused = operation.introspects ? await takeIntrospection() : undefined;
    if (refused) return refusal([refused]);
    const tooMuch = costError(schemas.merged, operation, coerced);
    if (tooMuch) return refuse([tooMuch]);
    const json = await runOperation(
      { request: read, operation, coerced, context: request.context },
      { schemas, ponder, rootValue, reports: dependencies },
    );
    const tooLarge = sizeError(json);
    if (tooLarge) return refusal([tooLarge]);
    return operation.isOnlyIntrospection ? introspectionCache.keep(key, json) : json;
  };

  return {
    schema: schemas.merged,
    async handle(request) {
      const read = readRequest(request.body, request.text);
      if (typeof read === "string") return { status: 400, json: refusal([new GraphQLError(read)]) };
      const answered = await answer(read, request);
      return typeof answered === "string" ? { status: 200, json: answered } : { status: 200, ...answered };
    },
  };
}

async function buildSchemas({ ponder, ownSdl }: { ponder: PonderHandler; ownSdl: string }): Promise<Schemas> {
  const base = await introspect(ponder);
  const ponderFields = new Set(Object.keys(base.getQueryType()?.getFields() ?? {}));
  return { merged: mergeSchema(base, ownSdl), ponder: base, ponderFields, tables: findTables(base) };
}

function assertRootValue({ merged, ponderFields }: Schemas, { Query, Mutation }: RootValue<never>): void {
  const fieldsOf = (type: GraphQLObjectType | null | undefined): string[] =>
    Object.keys(type?.getFields() ?? {});
  const ownQueries = fieldsOf(merged.getQueryType()).filter((field) => !ponderFields.has(field));
  assertResolvers("Query", ownQueries, Query);
  assertResolvers("Mutation", fieldsOf(merged.getMutationType()), Mutation);
}

const isPrepared = (prepared: PreparedDocument | readonly GraphQLError[]): prepared is PreparedDocument =>
  "select" in prepared;

const refusal = (errors: readonly GraphQLError[]): string =>
  JSON.stringify({ errors: errors.map(requestError) });
