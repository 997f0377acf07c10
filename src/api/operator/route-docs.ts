/** What the documents of the operator's routes share. */

import { type DocumentedError, errorResponses } from "../http/error-responses.ts";

export const operatorRoute = { tags: ["operator"], security: [{ OperatorToken: [] }] };

/** What a route may answer to a JSON body. */
export const bodyErrors = ["INVALID_REQUEST", "BODY_TOO_LARGE", "UNSUPPORTED_MEDIA_TYPE"] as const;

/** The error answers of a route: those of the operator's token, and others. */
export const operatorErrors = (...others: readonly DocumentedError[]) =>
  errorResponses("KEY_INVALID", "NOT_FOUND", ...others);
