/** The documented error answers of routes: one example per code, with its real message. */

import { type ErrorCode, type ErrorStatus, errorBodySchema, errorTable } from "./errors.ts";

/** A code, with its status where that is not the table's. */
export type DocumentedError = ErrorCode | { readonly code: ErrorCode; readonly status: ErrorStatus };

const RETRIED: ReadonlySet<number> = new Set([429, 503]);

/** The documented error answers of a route. */
export const errorResponses = (...errors: readonly DocumentedError[]) => responsesOf(errors, errorBodySchema);

/** The same, with any schema for the body, such as a reference to the one that the document already has. */
export function responsesOf<Schema>(errors: readonly DocumentedError[], schema: Schema) {
  const byStatus = new Map<ErrorStatus, ErrorCode[]>();
  for (const error of errors) {
    const code = typeof error === "string" ? error : error.code;
    const status = typeof error === "string" ? errorTable[code].status : error.status;
    const codes = byStatus.get(status) ?? [];
    if (!codes.includes(code)) byStatus.set(status, [...codes, code]);
  }
  return Object.fromEntries(
    [...byStatus].map(([status, codes]) => [
      status,
      {
        description: codes.map((code) => errorTable[code].message).join(" / "),
        ...(RETRIED.has(status) && { headers: { "Retry-After": retryAfter } }),
        content: {
          "application/json": {
            schema,
            examples: Object.fromEntries(
              codes.map((code) => [code, { $ref: `#/components/examples/${code}` }]),
            ),
          },
        },
      },
    ]),
  );
}

/** What `components.examples` of the document contains. */
export const errorExamples = Object.fromEntries(
  Object.entries(errorTable).map(([code, { message }]) => [
    code,
    { summary: message, value: { message, code, request_id: "4f9d2c1e-6b1a-4a57-9d0f-2f0c7a8b3e55" } },
  ]),
);

const retryAfter = {
  description: "Seconds after which the request may be sent again.",
  schema: { type: "integer" as const, minimum: 1 },
};
