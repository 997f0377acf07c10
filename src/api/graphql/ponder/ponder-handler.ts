/** Ponder's `graphql()` as a function that answers requests in process. */

import { Hono, type MiddlewareHandler } from "hono";
import { isDatabaseUnavailable } from "../../db/database-away.ts";
import type { ErrorCode } from "../../http/errors.ts";
import type { PonderHandler } from "./ponder-half.ts";
import { createSentDocuments, type ParserAndValidationCache } from "./sent-documents.ts";

/** Creates Ponder's middleware with these options. */
export type PonderQueries = (options: {
  readonly parserAndValidationCache: ParserAndValidationCache;
  /** The code of a failed field whose cause callers may know, which replaces its text; as patched (patches/). */
  readonly codeOf: (cause: unknown) => ErrorCode | undefined;
}) => MiddlewareHandler;

export function createPonderHandler(queries: PonderQueries): PonderHandler {
  const { cache, during } = createSentDocuments();
  const app = new Hono().use("/graphql", queries({ parserAndValidationCache: cache, codeOf }));
  // Hono's own handler would print a stack trace whenever a client goes away.
  app.onError((error) => {
    throw error;
  });
  return (request, sent) => during(sent, async () => app.fetch(request));
}

const codeOf = (cause: unknown): ErrorCode | undefined =>
  isDatabaseUnavailable(cause) ? "UNAVAILABLE" : undefined;
