/** Which media types a request allows, and which of several it prefers. */

import type { Context } from "hono";
import { accepts } from "hono/accepts";
import { parseAccept } from "hono/utils/accept";

/** The type of the GraphQL-over-HTTP specification; its status says whether the operation ran. */
export const GRAPHQL_TYPE = "application/graphql-response+json";
export const JSON_TYPE = "application/json";
const HTML_TYPE = "text/html";

/** The type of a GraphQL answer: that of `Accept`, the first one of equals; JSON if it names neither. */
export function graphqlTypeOf(c: Context): typeof GRAPHQL_TYPE | typeof JSON_TYPE {
  // Most callers name only JSON, or nothing.
  if (!c.req.header("accept")?.toLowerCase().includes(GRAPHQL_TYPE)) return JSON_TYPE;
  const supports = [JSON_TYPE, GRAPHQL_TYPE];
  return accepts(c, { header: "Accept", supports, default: JSON_TYPE }) === GRAPHQL_TYPE
    ? GRAPHQL_TYPE
    : JSON_TYPE;
}

/** Whether a page is preferred to JSON, as by browsers. A caller that accepts anything is a program. */
export const prefersHtml = (c: Context): boolean =>
  accepts(c, { header: "Accept", supports: [HTML_TYPE, JSON_TYPE, GRAPHQL_TYPE], default: JSON_TYPE }) ===
  HTML_TYPE;

/**
 * Whether an `Accept` header allows a media type (RFC 9110, 12.5.1): the most specific range that matches decides, and a
 * weight of 0 refuses. JSON is also allowed by a header that names it in any other way, as by "application/json
 * charset=utf-8" or "application/*+json", which has always been enough.
 */
export function allowsType(accept: string, type: string): boolean {
  // What nearly all callers send.
  if (accept === "*/*" || accept === type) return true;
  const ranges = parseAccept(accept);
  for (const range of [type, `${type.split("/")[0]}/*`, "*/*"]) {
    const match = ranges.find((each) => each.type.toLowerCase() === range);
    if (match) return match.q > 0;
  }
  return type === JSON_TYPE && /application\/(?:\*|json)/i.test(accept);
}
