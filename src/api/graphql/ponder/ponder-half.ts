/** Calls Ponder's handler in process, and prepares its answer for the client. */

import { setTimeout as sleep } from "node:timers/promises";
import type { GraphQLError } from "graphql";
import { ApiError } from "../../http/errors.ts";
import {
  type ErrorEntry,
  type ErrorReports,
  type GraphqlResult,
  reportedError,
  requestError,
  shortened,
} from "../errors.ts";
import { ponderRequest } from "./ponder-request.ts";
import type { SentDocument } from "./sent-documents.ts";

// Ponder's reads give up after waiting 500 ms for a lock. A reorg locks all tables until its changes are committed.
const TRIES_MAX = 3;
const AGAIN_MS = 200;
// A slower failure is not a lock timeout.
const FAILS_WITHIN_MS = 3_000;

/** Answers `POST /graphql` as Ponder's `graphql()` middleware does. `sent` is the request's query, if it is parsed. */
export type PonderHandler = (request: Request, sent?: SentDocument) => Response | Promise<Response>;

/** `unread` is an answer without errors, as Ponder wrote it; `failed` means no GraphQL answer at all. */
export type PonderAnswer =
  | { readonly kind: "unread"; readonly json: string }
  | { readonly kind: "answered"; readonly result: GraphqlResult }
  | { readonly kind: "failed"; readonly error: unknown };

export interface AskOptions {
  readonly reports: ErrorReports;
  /** Allows an answer of kind `unread`. */
  readonly mayStayUnread: boolean;
  /** The caller wrote the document that is sent, so its locations mean something to them. */
  readonly keepLocations: boolean;
  /** The document's mistakes; called when Ponder refuses the request. */
  readonly findMistakes: () => readonly GraphQLError[];
  readonly sent: SentDocument | undefined;
}

/** Returns the text of the answer. Throws whatever the handler throws, and on any status but 200. */
export async function postToPonder(
  handle: PonderHandler,
  body: string,
  sent?: SentDocument,
): Promise<string> {
  const response = await handle(ponderRequest(body), sent);
  const text = await response.text();
  if (response.status !== 200) throw new Error(`Ponder answered ${response.status}: ${text.slice(0, 500)}`);
  return text;
}

/**
 * Sends one request to Ponder; a failure is an answer, not a rejection. Errors of the request keep their text. A
 * request with a field that failed in Ponder is retried, with three tries in all, unless it failed slowly. A field that
 * still fails is reported, and its text, which may contain SQL, is not passed on.
 */
export async function askPonder(
  handle: PonderHandler,
  body: string,
  options: AskOptions,
): Promise<PonderAnswer> {
  try {
    const json = await postUntilWell(handle, body, options);
    if (options.mayStayUnread && isClean(json)) return { kind: "unread", json };
    const { data, errors } = readAnswer(json);
    if (data === undefined) options.sent?.forgetErrors();
    const mistakes = data === undefined ? options.findMistakes() : [];
    if (mistakes.length > 0) return { kind: "answered", result: { errors: mistakes.map(requestError) } };
    const result = {
      ...(errors && { errors: errors.map((error) => presentError(error, options)) }),
      ...(data !== undefined && { data }),
    };
    return { kind: "answered", result };
  } catch (error) {
    return { kind: "failed", error };
  }
}

async function postUntilWell(
  handle: PonderHandler,
  body: string,
  { findMistakes, sent }: Pick<AskOptions, "findMistakes" | "sent">,
): Promise<string> {
  const startedAt = performance.now();
  for (let tries = 1; ; tries++) {
    const json = await postToPonder(handle, body, sent);
    if (isClean(json) || tries === TRIES_MAX || performance.now() - startedAt > FAILS_WITHIN_MS) return json;
    const { data, errors = [] } = readAnswer(json);
    const isMistaken =
      errors.every((error) => isOfRequest(error) || isTooLarge(error.message)) ||
      (data === undefined && findMistakes().length > 0);
    if (isMistaken) return json;
    await sleep(AGAIN_MS);
  }
}

// Inside a string value the quotes would be escaped, so an answer with errors never passes. Parsing and serialising
// 1000 rows again would cost a tenth of Ponder's own time for them.
const isClean = (json: string): boolean => json.startsWith('{"data":') && !json.includes('"errors"');

interface ReceivedError extends Partial<Pick<ErrorEntry, "message" | "locations" | "path">> {
  readonly extensions?: { readonly code?: unknown };
}

interface ReceivedResult {
  readonly data?: Record<string, unknown> | null;
  readonly errors?: readonly ReceivedError[];
}

function readAnswer(json: string): ReceivedResult {
  const answer = JSON.parse(json) as ReceivedResult | null;
  if (answer?.data === undefined && answer?.errors === undefined) {
    throw new Error(`Ponder's answer is not of GraphQL: ${json.slice(0, 500)}`);
  }
  return answer;
}

function presentError({ message = "no message", ...error }: ReceivedError, options: AskOptions): ErrorEntry {
  const { locations, path } = error;
  const place = { ...(options.keepLocations && locations && { locations }), ...(path && { path }) };
  if (isOfRequest(error))
    return { message: shortened(message), ...place, extensions: { code: "INVALID_REQUEST" } };
  if (isTooLarge(message)) return { message: TOO_LARGE, ...place, extensions: { code: "INVALID_REQUEST" } };
  if (error.extensions?.code === "UNAVAILABLE")
    return reportedError(new ApiError("UNAVAILABLE"), options.reports, place);
  return reportedError(new Error(`Ponder's GraphQL: ${message}`), options.reports, place);
}

// Ponder gives the ids of chains the type Int, which has 32 bits.
const isTooLarge = (message = ""): boolean =>
  message.startsWith("Int cannot represent non 32-bit signed integer value");
const TOO_LARGE =
  "this field can't return a chain's id of 2^31 or more; leave chainId out, or use REST or Vitrine's own fields";

// Failed fields have a path, other failures have no location, and in production Ponder redacts both.
const isOfRequest = ({ path, locations, extensions }: ReceivedError): boolean =>
  !path && locations !== undefined && extensions?.code !== "INTERNAL_SERVER_ERROR";
