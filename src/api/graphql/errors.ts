/** The shape of errors in a GraphQL answer, and what each kind may reveal to the caller. */

import { type FormattedExecutionResult, GraphQLError, type GraphQLFormattedError, Kind } from "graphql";
import { clip } from "../../domain/printable.ts";
import { type ErrorCode, errorTable } from "../http/errors.ts";

export interface ErrorEntry extends GraphQLFormattedError {
  /** `url` is the page where the caller can get what the request lacks; `retryAfter` the seconds until a retry makes sense. */
  readonly extensions: { readonly code: ErrorCode; readonly url?: string; readonly retryAfter?: number };
}

export interface GraphqlResult extends FormattedExecutionResult {
  readonly errors?: readonly ErrorEntry[];
}

/** Returns what a caller may see of an error; for INTERNAL, none of its text. Must not throw. */
export type RedactError = (error: unknown) => {
  readonly message: string;
  readonly code: ErrorCode;
  readonly url?: string | undefined;
  readonly retryAfter?: number | undefined;
};

export interface ErrorReports {
  readonly redactError: RedactError;
  /** Called for each error that is redacted to INTERNAL, and for no other. Must not throw. */
  readonly onError?: (error: unknown) => void;
}

type Place = Pick<GraphQLFormattedError, "locations" | "path">;

// graphql-js quotes whole values and names, in up to a hundred errors of one request.
const MESSAGE_CHARACTERS_MAX = 500;
const MESSAGE_END_CHARACTERS = 200;

/** A message that repeats what the caller sent, without its middle if it is long. */
export function shortened(message: string): string {
  if (message.length <= MESSAGE_CHARACTERS_MAX) return message;
  const start = clip(message, MESSAGE_CHARACTERS_MAX - MESSAGE_END_CHARACTERS - 1);
  // What is wrong often comes last.
  return (
    start +
    message
      .slice(-MESSAGE_END_CHARACTERS)
      .toWellFormed()
      .replace(/^\ufffd/, "")
  );
}

const ownCodes: ReadonlySet<unknown> = new Set<ErrorCode>(["RATE_LIMITED", "METHOD_NOT_ALLOWED"]);

/** An error that the request itself caused; its text was written for the caller, and is of limited length. */
export function requestError(error: GraphQLError): ErrorEntry {
  const { code, retryAfter } = error.extensions as { code?: ErrorCode; retryAfter?: number };
  const own =
    code && ownCodes.has(code) ? { code, ...(retryAfter !== undefined && { retryAfter }) } : undefined;
  return {
    ...error.toJSON(),
    message: shortened(error.message),
    extensions: own ?? { code: "INVALID_REQUEST" },
  };
}

/**
 * The status of a result as `application/graphql-response+json` (GraphQL over HTTP, section 6.4.2): 200 if any field was
 * run, else that of its first error.
 */
export function resultStatus({ data, errors }: GraphqlResult): number {
  if (data !== undefined) return 200;
  return errorTable[errors?.[0]?.extensions.code ?? "INTERNAL"].status;
}

/** What the caller may see of an error. Unexpected errors are reported. */
export function reportedError(error: unknown, reports: ErrorReports, place: Place = {}): ErrorEntry {
  const { message, code, url, retryAfter } = reports.redactError(error);
  if (code === "INTERNAL") reports.onError?.(error);
  const more = { ...(url !== undefined && { url }), ...(retryAfter !== undefined && { retryAfter }) };
  return { ...place, message, extensions: { code, ...more } };
}

/** An error of an execution: a failed field, unless the request's arguments were at fault. */
export function executionError(error: GraphQLError, reports: ErrorReports): ErrorEntry {
  const cause = rootCause(error);
  return isRequestMistake(cause) ? requestError(error) : reportedError(cause, reports, error.toJSON());
}

function rootCause(error: Error): Error {
  return error instanceof GraphQLError && error.originalError ? rootCause(error.originalError) : error;
}

// For a caller's mistake graphql-js points at an argument, a value, a variable or a directive; for ours, such as a
// union it can't resolve, at the field. A GraphQLError without a location was thrown by a resolver.
function isRequestMistake(cause: Error): cause is GraphQLError {
  const kind = cause instanceof GraphQLError ? cause.nodes?.[0]?.kind : undefined;
  return kind !== undefined && kind !== Kind.FIELD;
}
