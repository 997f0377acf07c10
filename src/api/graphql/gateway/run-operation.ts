/** Runs a prepared operation: both halves at once, each on its side, and one result. */

import { GraphQLError, OperationTypeNode } from "graphql";
import {
  type ErrorEntry,
  type ErrorReports,
  type GraphqlResult,
  reportedError,
  requestError,
  resultStatus,
} from "../errors.ts";
import { type RootValue, runOwn } from "../own/own-half.ts";
import { askPonder, type PonderHandler } from "../ponder/ponder-half.ts";
import type { GraphqlRequest } from "../request.ts";
import { resultSizeError } from "./answer-size.ts";
import { mergeResults, rootFields } from "./merge-results.ts";
import type { PonderPart, PreparedOperation, Schemas } from "./prepared-document.ts";

export interface RunDependencies<Context> {
  readonly schemas: Schemas;
  readonly ponder: PonderHandler;
  readonly rootValue: RootValue<Context>;
  readonly reports: ErrorReports;
}

export interface Run<Context> {
  readonly request: GraphqlRequest;
  readonly operation: PreparedOperation;
  /** The variables' values, including defaults. */
  readonly coerced: Readonly<Record<string, unknown>>;
  readonly context: Context;
}

/** A result as JSON, and its status as `application/graphql-response+json`. */
export interface RunAnswer {
  readonly json: string;
  readonly resultStatus: number;
  /** The first error of the result. */
  readonly error?: ErrorEntry | undefined;
}

/** A failure in Ponder or in a resolver is an error in the answer, not a rejection. */
export async function runOperation<Context>(
  run: Run<Context>,
  dependencies: RunDependencies<Context>,
): Promise<RunAnswer> {
  const { document, definition, ponder, own, findMistakes } = run.operation;
  if (!ponder) return toAnswer(await runOurs(run, dependencies), run);
  const fields = rootFields(document, definition, run.coerced);
  if (fields instanceof GraphQLError) return toAnswer(refused(findMistakes(), fields), run);
  const [answer, ours] = await Promise.all([
    askPonder(dependencies.ponder, bodyFor(ponder, run.request), {
      reports: dependencies.reports,
      // Ponder orders root fields as they settle, so an answer with several needs reordering.
      mayStayUnread: own === null && fields.size === 1,
      keepLocations: ponder.query === null,
      findMistakes,
      sent: ponder.sent,
    }),
    own ? runOurs(run, dependencies) : { data: undefined },
  ]);
  if (answer.kind === "unread") return { json: answer.json, resultStatus: 200 };
  const theirs = answer.kind === "answered" ? answer.result : unanswered(answer.error, fields, dependencies);
  return toAnswer(mergeResults(fields, dependencies.schemas.merged, [theirs, ours]), run);
}

function toAnswer(made: GraphqlResult, { context }: Run<unknown>): RunAnswer {
  // Operations of an array share their request's context.
  const tooLarge = resultSizeError(made, Object(context));
  const result = tooLarge ? refused([], tooLarge) : made;
  return { json: JSON.stringify(result), resultStatus: resultStatus(result), error: result.errors?.[0] };
}

function refused(mistakes: readonly GraphQLError[], error: GraphQLError): GraphqlResult {
  return { errors: (mistakes.length > 0 ? mistakes : [error]).map(requestError) };
}

function bodyFor({ query, variables: names }: PonderPart, request: GraphqlRequest): string {
  if (query === null) return request.forwardable;
  const used = Object.entries(request.variables).filter(([name]) => names.includes(name));
  return JSON.stringify({ query, variables: Object.fromEntries(used) });
}

/** The result when Ponder gave none: an error for each of its fields. */
function unanswered<Context>(
  error: unknown,
  fields: ReadonlyMap<string, string>,
  { reports, schemas }: RunDependencies<Context>,
): GraphqlResult {
  const entry = reportedError(error, reports);
  const keys = [...fields].filter(([, field]) => schemas.ponderFields.has(field)).map(([key]) => key);
  return { errors: keys.map((key) => ({ ...entry, path: [key] })), data: {} };
}

async function runOurs<Context>(
  run: Run<Context>,
  dependencies: RunDependencies<Context>,
): Promise<GraphqlResult> {
  const { rootValue, schemas, reports } = dependencies;
  const isMutation = run.operation.definition.operation === OperationTypeNode.MUTATION;
  return runOwn(
    {
      schema: schemas.merged,
      document: run.operation.own ?? run.operation.document,
      root: isMutation ? rootValue.Mutation : rootValue.Query,
      context: run.context,
      variables: run.request.variables,
    },
    reports,
  );
}
