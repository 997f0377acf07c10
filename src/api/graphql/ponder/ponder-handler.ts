/** Ponder's `graphql()` as a function that answers requests in process. */

import { Hono, type MiddlewareHandler } from "hono";
import type { PonderHandler } from "./ponder-half.ts";
import { createSentDocuments, type ParserAndValidationCache } from "./sent-documents.ts";

/** Creates Ponder's middleware with these options. */
export type PonderQueries = (options: {
  readonly parserAndValidationCache: ParserAndValidationCache;
}) => MiddlewareHandler;

export function createPonderHandler(queries: PonderQueries): PonderHandler {
  const { cache, during } = createSentDocuments();
  const app = new Hono().use("/graphql", queries({ parserAndValidationCache: cache }));
  // Hono's own handler would print a stack trace whenever a client goes away.
  app.onError((error) => {
    throw error;
  });
  return (request, sent) => during(sent, async () => app.fetch(request));
}
