/** Rules that every answer must satisfy, whatever the request. */

import type { FuzzAnswer, FuzzRequest } from "./call.ts";

// Ponder's own routes, with their own format.
const PONDERS = /^\/(?:ready|health)(?:\?|$)/;
// Above the largest body limit, the connection may end before everything is sent.
const BODY_MAY_BREAK = 64 * 1024;

/** What is wrong with an answer, or undefined. */
export function faultOf(sent: FuzzRequest, answer: FuzzAnswer | string): string | undefined {
  if (typeof answer === "string") {
    return (sent.body?.length ?? 0) > BODY_MAY_BREAK && answer.startsWith("no answer:") ? undefined : answer;
  }
  const { status, headers, text } = answer;
  if (status >= 500 && !(status === 503 && headers["retry-after"])) return `status ${status}: ${clip(text)}`;
  const type = headers["content-type"] ?? "";
  if (text.includes("/src/api/") || text.includes("node_modules")) return `a path of ours: ${clip(text)}`;
  // Rows of NDJSON are judged by their own tests.
  if (/[/+]json\b/.test(type) && text !== "") {
    const body = parse(text);
    if (body === undefined) return `JSON that is none: ${clip(text)}`;
    if (isGraphql(sent) && status < 400) return graphqlFault(body);
    if (status >= 400) return isGraphqlError(body) ? graphqlFault(body) : errorFault(body);
    return undefined;
  }
  const isHtml = type.includes("text/html");
  const isEmpty = sent.method === "HEAD" || PONDERS.test(sent.path);
  if (status >= 400 && !isHtml && !isEmpty) return `status ${status} without an error of ours: ${clip(text)}`;
  return undefined;
}

const isGraphql = ({ path }: FuzzRequest): boolean => path.startsWith("/graphql");

const isGraphqlError = (body: unknown): boolean =>
  typeof body === "object" && body !== null && Array.isArray((body as { errors?: unknown }).errors);

function errorFault(body: unknown): string | undefined {
  const { message, code, request_id, details = [] } = (body ?? {}) as Record<string, unknown>;
  const isError =
    typeof message === "string" && /^[A-Z_]+$/.test(String(code)) && typeof request_id === "string";
  const areDetails =
    Array.isArray(details) &&
    details.every((each) => typeof each?.path === "string" && typeof each?.message === "string");
  if (code === "INTERNAL") return `code INTERNAL: ${clip(JSON.stringify(body))}`;
  return isError && areDetails ? undefined : `no error of ours: ${clip(JSON.stringify(body))}`;
}

function graphqlFault(body: unknown): string | undefined {
  for (const answer of Array.isArray(body) ? body : [body]) {
    const { data, errors = [] } = (answer ?? {}) as { data?: unknown; errors?: unknown[] };
    if (data === undefined && errors.length === 0)
      return `neither data nor errors: ${clip(JSON.stringify(body))}`;
    for (const error of errors as { message?: unknown; extensions?: { code?: unknown } }[]) {
      const code = error?.extensions?.code;
      if (typeof error?.message !== "string" || !/^[A-Z_]+$/.test(String(code)) || code === "INTERNAL")
        return `a GraphQL error: ${clip(JSON.stringify(error))}`;
    }
  }
  return undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

export const clip = (text: string, most = 600): string =>
  text.length > most ? `${text.slice(0, most)}…` : text;
