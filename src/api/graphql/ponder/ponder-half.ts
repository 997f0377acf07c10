/** Asks Ponder's handler, in process, and makes its answer fit to be given on. */

import { setTimeout as sleep } from "node:timers/promises";
import type { GraphQLError } from "graphql";
import {
  type ErrorEntry,
  type ErrorReports,
  type GraphqlResult,
  reportedError,
  requestError,
} from "../errors.ts";
import { ponderRequest } from "./ponder-request.ts";

// Ponder's reads give up after waiting for a lock for 500 ms. A reorg holds all tables until its changes are committed.
const TRIES_MAX = 3;
const AGAIN_MS = 200;
// What takes longer to fail doesn't fail for a lock.
const FAILS_WITHIN_MS = 3_000;

/** Answers `POST /graphql` as Ponder's `graphql()` middleware does. */
export type PonderHandler = (request: Request) => Response | Promise<Response>;

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
  /** What is wrong with the document; asked when Ponder refuses the request. */
  readonly findMistakes: () => readonly GraphQLError[];
}

/** Returns the text of the answer. Throws whatever the handler throws, and when it answers other than 200. */
export async function postToPonder(handle: PonderHandler, body: string): Promise<string> {
  const response = await handle(ponderRequest(body));
  const text = await response.text();
  if (response.status !== 200) throw new Error(`Ponder answered ${response.status}: ${text.slice(0, 500)}`);
  return text;
}

/**
 * Sends one request to Ponder; a failure is an answer, not a rejection. Errors of the request keep their text.
 * A request with a field that failed in Ponder is sent again, three times in all, unless that took long. A field that
 * still fails is reported, and its text, which may hold SQL, is not given on.
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
  { findMistakes }: Pick<AskOptions, "findMistakes">,
): Promise<string> {
  const startedAt = performance.now();
  for (let tries = 1; ; tries++) {
    const json = await postToPonder(handle, body);
    if (isClean(json) || tries === TRIES_MAX || performance.now() - startedAt > FAILS_WITHIN_MS) return json;
    const { data, errors = [] } = readAnswer(json);
    const isMistaken = errors.every(isOfRequest) || (data === undefined && findMistakes().length > 0);
    if (isMistaken) return json;
    await sleep(AGAIN_MS);
  }
}

// Inside a string value the quotes would be escaped, so an answer with errors never passes. Reading and writing
// 1000 rows again would cost a tenth of what Ponder takes for them.
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
  if (isOfRequest(error)) return { message, ...place, extensions: { code: "INVALID_REQUEST" } };
  return reportedError(new Error(`Ponder's GraphQL: ${message}`), options.reports, place);
}

// Failures of fields have a path, other failures have no location, and in production Ponder masks both.
const isOfRequest = ({ path, locations, extensions }: ReceivedError): boolean =>
  !path && locations !== undefined && extensions?.code !== "INTERNAL_SERVER_ERROR";
