/** Parses a GraphQL request from a JSON body, or from the parameters of a URL. */

import { ApiError, GIVEN_TWICE } from "../http/errors.ts";
import { assertShallow } from "../http/nesting.ts";

export interface GraphqlRequest {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  /** A body that Ponder parses to this same request: the original if possible. */
  readonly forwardable: string;
}

// Clients add members of their own, such as `extensions` or `id`; Ponder refuses some of them.
const FORWARDED = new Set(["query", "operationName", "variables"]);

// Clients with automatic persisted queries send a query's hash, and the query itself once they have this answer:
// https://www.apollographql.com/docs/apollo-server/performance/apq
const NO_HASHES = "PersistedQueryNotSupported";

/**
 * Returns the request in a parsed body, or a sentence that says why there is none. Null counts as absent, as in Ponder.
 * `text` is the same body as it arrived; `what` names it in the sentence.
 */
export function readRequest(body: unknown, text: string, what = "the body"): GraphqlRequest | string {
  if (!isRecord(body)) return `${what} must be a JSON object; received ${kindOf(body)}`;
  const { query, operationName, variables, extensions } = body;
  if (isAbsent(query) && isRecord(extensions) && isRecord(extensions.persistedQuery)) return NO_HASHES;
  if (typeof query !== "string") return `query must be a string; received ${kindOf(query)}`;
  if (!isAbsent(operationName) && typeof operationName !== "string") {
    return `operationName must be a string; received ${kindOf(operationName)}`;
  }
  if (!isAbsent(variables) && !isRecord(variables)) {
    return `variables must be an object; received ${kindOf(variables)}`;
  }
  if (!isAbsent(extensions) && !isRecord(extensions)) {
    return `extensions must be an object; received ${kindOf(extensions)}`;
  }
  const isPlain = Object.keys(body).every((member) => FORWARDED.has(member));
  return {
    query,
    operationName: operationName ?? undefined,
    variables: variables ?? {},
    forwardable: isPlain ? text : JSON.stringify({ query, operationName, variables }),
  };
}

/** The parameters of GET /graphql. `variables` and `extensions` are JSON. */
export const requestParameters = ["query", "operationName", "variables", "extensions"] as const;

/**
 * The body that says the same as a URL's parameters, for `readRequest`. An empty parameter counts as absent. Throws
 * INVALID_REQUEST for a repeated parameter, and for `variables` or `extensions` that are not JSON.
 */
export function bodyOfParameters(valuesOf: (name: string) => readonly string[]): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const name of requestParameters) {
    const [value, ...others] = valuesOf(name);
    if (others.length > 0) throw new ApiError("INVALID_REQUEST", [{ path: name, message: GIVEN_TWICE }]);
    // An empty query is a mistake that the parser explains.
    if (value === undefined || (value === "" && name !== "query")) continue;
    body[name] = name === "variables" || name === "extensions" ? parseJson(value, name) : value;
  }
  return body;
}

/**
 * Parses JSON of a request. Throws INVALID_REQUEST, with the path, for any other text and for one that is nested too
 * deep.
 */
export function parseJson(text: string, path = ""): unknown {
  assertShallow(text, path);
  try {
    return JSON.parse(text);
  } catch (cause) {
    const message = `${path || "the body"} is not valid JSON`;
    throw new ApiError("INVALID_REQUEST", [{ path, message }], { cause });
  }
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined;

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}
