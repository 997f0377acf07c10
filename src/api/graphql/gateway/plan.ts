/** Checks a request before anything of it runs: its shape, document, variables, arguments and cost. */

import { GraphQLError, getVariableValues, OperationTypeNode } from "graphql";
import { type ErrorEntry, requestError, resultStatus } from "../errors.ts";
import { argumentErrors } from "../ponder/ponder-arguments.ts";
import { type GraphqlRequest, readRequest } from "../request.ts";
import { sizeError } from "./answer-size.ts";
import { operationCost } from "./cost.ts";
import { cacheByText } from "./document-cache.ts";
import type { EndpointAnswer, EndpointRequest } from "./endpoint.ts";
import { type createIntrospectionCache, createIntrospectionLimit } from "./introspection.ts";
import {
  type PreparedDocument,
  type PreparedOperation,
  prepareDocument,
  type Schemas,
} from "./prepared-document.ts";

// Fifty mistakes are enough to report at once; graphql-js executes with the same number.
const VARIABLE_ERRORS_MAX = 50;
// graphql-js writes a whole value out for each mistake in it.
const VARIABLE_CHARACTERS_MAX = 500_000;

/** An operation that may run. */
export interface Plan<Context> {
  readonly request: GraphqlRequest;
  /** Under which a pure introspection is cached. */
  readonly key: string;
  readonly operation: PreparedOperation;
  /** The variables' values, including defaults. */
  readonly coerced: Readonly<Record<string, unknown>>;
  readonly context: Context;
  readonly cost: number;
  /** The answer with these errors, unless the document has mistakes, which come first. */
  readonly refuse: (errors: readonly GraphQLError[]) => EndpointAnswer;
}

/** A plan, or the answer to a request that needs none: it is refused, or its answer is cached. */
export type Planner<Context> = (
  request: EndpointRequest<Context>,
  what?: string,
) => Promise<Plan<Context> | EndpointAnswer>;

export const isPlan = <Context>(planned: Plan<Context> | EndpointAnswer): planned is Plan<Context> =>
  "operation" in planned;

export function createPlanner<Context>(
  schemas: Schemas,
  introspection: Pick<ReturnType<typeof createIntrospectionCache>, "find">,
  collectionCount: number,
): Planner<Context> {
  const prepare = cacheByText((query) => prepareDocument(query, schemas), isPrepared);
  const takeIntrospection = createIntrospectionLimit();

  return async ({ body, text, context, queriesOnly }, what) => {
    const request = readRequest(body, text, what);
    if (typeof request === "string") return { ...refusal([new GraphQLError(request)]), status: 400 };
    const key = `${request.operationName ?? ""}\0${request.query}`;
    const known = introspection.find(key);
    if (known) return { status: 200, ...known };
    const prepared = prepare(request.query);
    if (!isPrepared(prepared)) return refusal(prepared);
    // Errors in the document come before errors in the request for it.
    const refuse = (errors: readonly GraphQLError[]): EndpointAnswer => {
      const mistakes = prepared.findMistakes();
      return refusal(mistakes.length > 0 ? mistakes : errors);
    };
    const operation = prepared.select(request.operationName);
    if (operation instanceof GraphQLError) return refuse([operation]);
    if (queriesOnly && operation.definition.operation === OperationTypeNode.MUTATION) return needsPost;
    const definitions = operation.definition.variableDefinitions ?? [];
    const { coerced, errors } = getVariableValues(schemas.merged, definitions, request.variables, {
      maxErrors: variableErrorsMax(text),
    });
    if (errors) return refuse(errors);
    const unanswerable = argumentErrors(operation.asked, coerced);
    if (unanswerable.length > 0) return refuse(unanswerable);
    const refused = operation.introspects ? await takeIntrospection() : undefined;
    if (refused) return refusal([refused]);
    const cost = operationCost(schemas.merged, operation, coerced, collectionCount);
    return { request, key, operation, coerced, context, cost, refuse };
  };
}

/** How many mistakes in the variables of a body are reported. */
const variableErrorsMax = ({ length }: string): number =>
  Math.max(1, Math.min(VARIABLE_ERRORS_MAX, Math.floor(VARIABLE_CHARACTERS_MAX / length)));

const isPrepared = (prepared: PreparedDocument | readonly GraphQLError[]): prepared is PreparedDocument =>
  "select" in prepared;

/** The answer that consists of errors of the request; if they exceed the limit of an answer, of that error alone. */
export function refusal(errors: readonly GraphQLError[]): EndpointAnswer {
  const result = { errors: errors.map((error): ErrorEntry => requestError(error)) };
  const json = JSON.stringify(result);
  const tooLarge = sizeError(json);
  if (tooLarge) return refusal([tooLarge]);
  return { status: 200, resultStatus: resultStatus(result), json, error: result.errors[0] };
}

// A page of another site can make a browser send a GET (GraphQL over HTTP, section 6.2.3).
const needsPost: EndpointAnswer = {
  ...refusal([
    new GraphQLError("mutations need POST; GET answers queries only", {
      extensions: { code: "METHOD_NOT_ALLOWED" },
    }),
  ]),
  status: 405,
};
