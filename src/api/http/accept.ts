/** Which of several media types a request prefers. */

import type { Context } from "hono";
import { accepts } from "hono/accepts";

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
