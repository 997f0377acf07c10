/** One GraphQL endpoint for Ponder's queries and ours: the side that owns a root field answers it. */

import type { GraphQLObjectType, GraphQLSchema } from "graphql";
import { inSpan } from "../../tracing/spans.ts";
import type { ErrorEntry, ErrorReports } from "../errors.ts";
import { assertResolvers, type RootValue } from "../own/own-half.ts";
import { findBigIntNames } from "../ponder/loose-numbers.ts";
import type { PonderHandler } from "../ponder/ponder-half.ts";
import { findTables } from "../ponder/ponder-tables.ts";
import { sizeError } from "./answer-size.ts";
import { answerBatch } from "./batch.ts";
import { costError } from "./cost.ts";
import { createIntrospectionCache } from "./introspection.ts";
import { introspect, mergeSchema } from "./merged-schema.ts";
import { createPlanner, isPlan, type Plan, refusal } from "./plan.ts";
import type { Schemas } from "./prepared-document.ts";
import { runOperation } from "./run-operation.ts";

// What is longer, nobody wrote to read it in a trace.
const NAME_LENGTH_MAX = 100;

export interface EndpointDependencies<Context> extends Pick<ErrorReports, "redactError"> {
  /** Called for each error of a request that is redacted to INTERNAL, and for no other. Must not throw. */
  readonly onError?: (error: unknown, context: Context) => void;
  /** Ponder's `graphql()` middleware, behind `POST /graphql`. */
  readonly ponder: PonderHandler;
  /** Extends Ponder's `Query`, and declares `Mutation` with `extend schema { mutation: Mutation }`. */
  readonly ownSdl: string;
  readonly rootValue: RootValue<Context>;
  /** How many collections are served; 1 by default. What is asked of all of them costs as much more. */
  readonly collectionCount?: number;
}

export interface EndpointRequest<Context> {
  /** The parsed JSON body, of any shape. */
  readonly body: unknown;
  /** The same body as it arrived; a query only for Ponder is forwarded as this text. */
  readonly text: string;
  /** Passed to each of our resolvers. */
  readonly context: Context;
  /** Refuses mutations, as GET must. */
  readonly queriesOnly?: boolean;
}

export interface EndpointAnswer {
  /** As `application/json`: 200 for any GraphQL request, whatever failed; 405 for a mutation that GET asks for. */
  readonly status: 200 | 400 | 405;
  /** As `application/graphql-response+json`: 200 only if a field was run. `status` by default. */
  readonly resultStatus?: number;
  /** The response body. */
  readonly json: string;
  /** The same in UTF-8, for a cached answer. */
  readonly bytes?: Uint8Array<ArrayBuffer>;
  /** The first error in it, for the caller's log of requests. */
  readonly error?: ErrorEntry | undefined;
}

export interface GraphqlEndpoint<Context> {
  /** The schema that introspection shows: Ponder's queries and ours. */
  readonly schema: GraphQLSchema;
  /**
   * Answers one request: 400 if the body is not a GraphQL request, otherwise 200 with `errors` for whatever failed, as
   * GraphQL clients expect. Rejects only for an error in this program.
   */
  handle(request: EndpointRequest<Context>): Promise<EndpointAnswer>;
  /**
   * Answers the operations of one request, each as `handle` would, as an array in their order. Together they may cost
   * and answer as much as one operation, and only one of them may introspect; above that nothing is run.
   */
  handleBatch(operations: readonly unknown[], context: Context): Promise<EndpointAnswer>;
}

/**
 * Reads Ponder's schema once. Throws when that fails, when our SDL does not fit it, or when our root fields and
 * resolvers differ.
 */
export async function createGraphqlEndpoint<Context>(
  dependencies: EndpointDependencies<Context>,
): Promise<GraphqlEndpoint<Context>> {
  const schemas = await buildSchemas(dependencies);
  assertRootValue(schemas, dependencies.rootValue);
  const introspection = createIntrospectionCache();
  const plan = createPlanner<Context>(schemas, introspection, dependencies.collectionCount ?? 1);

  const { redactError, onError } = dependencies;

  const run = async ({ operation, key, ...planned }: Plan<Context>): Promise<EndpointAnswer> => {
    const reports = { redactError, onError: (error: unknown) => onError?.(error, planned.context) };
    const { name, operation: type } = operation.definition;
    const { json, resultStatus, error } = await inSpan(
      type,
      () => ({
        attributes: {
          "graphql.operation.type": type,
          ...(name && { "graphql.operation.name": name.value.slice(0, NAME_LENGTH_MAX) }),
        },
      }),
      () => runOperation({ operation, ...planned }, { ...dependencies, schemas, reports }),
    );
    const tooLarge = sizeError(json);
    if (tooLarge) return refusal([tooLarge]);
    return {
      status: 200,
      resultStatus,
      error,
      ...(operation.isOnlyIntrospection ? introspection.keep(key, json) : { json }),
    };
  };

  return {
    schema: schemas.merged,
    async handle(request) {
      const planned = await plan(request);
      if (!isPlan(planned)) return planned;
      const tooMuch = costError(planned.cost, planned.operation);
      return tooMuch ? planned.refuse([tooMuch]) : run(planned);
    },
    handleBatch: (operations, context) => answerBatch({ operations, context, plan, run }),
  };
}

async function buildSchemas({ ponder, ownSdl }: { ponder: PonderHandler; ownSdl: string }): Promise<Schemas> {
  const base = await introspect(ponder);
  const ponderFields = new Set(Object.keys(base.getQueryType()?.getFields() ?? {}));
  return {
    merged: mergeSchema(base, ownSdl),
    ponder: base,
    ponderFields,
    tables: findTables(base),
    bigIntNames: findBigIntNames(base),
  };
}

function assertRootValue({ merged, ponderFields }: Schemas, { Query, Mutation }: RootValue<never>): void {
  const fieldsOf = (type: GraphQLObjectType | null | undefined): string[] =>
    Object.keys(type?.getFields() ?? {});
  const ownQueries = fieldsOf(merged.getQueryType()).filter((field) => !ponderFields.has(field));
  assertResolvers("Query", ownQueries, Query);
  assertResolvers("Mutation", fieldsOf(merged.getMutationType()), Mutation);
}
