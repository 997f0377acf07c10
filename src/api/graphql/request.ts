/** Parses a GraphQL request from a JSON body. */

export interface GraphqlRequest {
  readonly query: string;
  readonly operationName: string | undefined;
  readonly variables: Readonly<Record<string, unknown>>;
  /** A body that Ponder parses to this same request: the original if possible. */
  readonly forwardable: string;
}

// Clients add members of their own, such as `extensions` or `id`; Ponder refuses some of them.
const FORWARDED = new Set(["query", "operationName", "variables"]);

/**
 * Returns the request in a parsed body, or a sentence that says why there is none. Null counts as absent, as in Ponder.
 * `text` is the same body as it arrived.
 */
export function readRequest(body: unknown, text: string): GraphqlRequest | string {
  if (!isRecord(body)) return `the body must be a JSON object; received ${kindOf(body)}`;
  const { query, operationName, variables } = body;
  if (typeof query !== "string") return `query must be a string; received ${kindOf(query)}`;
  if (!isAbsent(operationName) && typeof operationName !== "string") {
    return `operationName must be a string; received ${kindOf(operationName)}`;
  }
  if (!isAbsent(variables) && !isRecord(variables)) {
    return `variables must be an object; received ${kindOf(variables)}`;
  }
  const isPlain = Object.keys(body).every((member) => FORWARDED.has(member));
  return {
    query,
    operationName: operationName ?? undefined,
    variables: variables ?? {},
    forwardable: isPlain ? text : JSON.stringify({ query, operationName, variables }),
  };
}

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

const isAbsent = (value: unknown): value is null | undefined => value === null || value === undefined;

function kindOf(value: unknown): string {
  if (value === undefined) return "nothing";
  if (value === null) return "null";
  return Array.isArray(value) ? "an array" : typeof value === "object" ? "an object" : `a ${typeof value}`;
}
