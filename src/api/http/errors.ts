/** The closed set of request errors: one table from code to status and wording, and one body for every error answer. */

import { z } from "@hono/zod-openapi";
import { explainInvalid } from "../../invalid-value.ts";

/** Worded like the gateways of this field (the market-partner API and Kong's plugins). */
export const errorTable = {
  INVALID_REQUEST: { status: 400, message: "Invalid request" },
  TOO_MANY_TOKENS: { status: 400, message: "Too many token ids, max number of token ids allowed is 100" },
  KEY_MISSING: { status: 401, message: "No API key found in request" },
  KEY_INVALID: { status: 401, message: "Invalid authentication credentials" },
  NOT_ALLOWED: { status: 403, message: "You cannot consume this service" },
  NOT_FOUND: { status: 404, message: "Not found" },
  COLLECTION_NOT_FOUND: { status: 404, message: "Collection not found" },
  /** 400 where it refuses a whole refresh, as the gateways of this field answer it. */
  TOKEN_NOT_FOUND: { status: 404, message: "Token not found" },
  METHOD_NOT_ALLOWED: { status: 405, message: "Method not allowed" },
  NOT_ACCEPTABLE: { status: 406, message: "Not acceptable" },
  REQUEST_TIMEOUT: { status: 408, message: "Request timeout" },
  /** One at a time; `details` names the one that runs. */
  REFRESH_RUNNING: { status: 409, message: "A refresh of this collection is already running" },
  PRECONDITION_FAILED: { status: 412, message: "Precondition failed" },
  BODY_TOO_LARGE: { status: 413, message: "Request body too large" },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, message: "Unsupported media type" },
  RATE_LIMITED: { status: 429, message: "API rate limit exceeded" },
  HEAD_TOO_LARGE: { status: 431, message: "Request header fields too large" },
  INTERNAL: { status: 500, message: "Internal server error" },
  UNAVAILABLE: { status: 503, message: "Service unavailable" },
} as const;

export type ErrorCode = keyof typeof errorTable;
export type ErrorStatus = (typeof errorTable)[ErrorCode]["status"];

/** One problem of a request: its path, what was expected, and what arrived. */
export interface ErrorDetail {
  readonly path: string;
  readonly message: string;
  /** The page where the caller can get what the request lacks, such as a permission or a higher limit. */
  readonly url?: string;
}

/** `Retry-After` of UNAVAILABLE: a database or node is back within seconds, or an operator has to act. */
export const UNAVAILABLE_RETRY_SECONDS = 5;

/** An error that the client gets as it is. Any other error becomes INTERNAL, without its text. */
export class ApiError extends Error {
  override readonly name = "ApiError";
  /** Seconds after which the same request may succeed. */
  readonly retryAfterSeconds: number | undefined;
  /** That of the table, unless the one who throws it says otherwise. */
  readonly status: ErrorStatus;

  constructor(
    readonly code: ErrorCode,
    readonly details: readonly ErrorDetail[] = [],
    options?: ErrorOptions & { readonly retryAfterSeconds?: number; readonly status?: ErrorStatus },
  ) {
    super(errorTable[code].message, options);
    this.status = options?.status ?? errorTable[code].status;
    this.retryAfterSeconds =
      options?.retryAfterSeconds ?? (code === "UNAVAILABLE" ? UNAVAILABLE_RETRY_SECONDS : undefined);
  }
}

/** Of a query parameter. */
export const GIVEN_TWICE = "is given more than once";

export const errorBodySchema = z
  .object({
    message: z.string(),
    code: z.string().openapi({ description: "The problem, for programs; codes may be added." }),
    request_id: z.string().openapi({ description: "As in the header X-Request-Id." }),
    details: z
      .array(
        z.object({
          path: z.string(),
          message: z.string(),
          url: z.string().optional().openapi({
            description: "The page where the missing permission, or a higher limit, is requested.",
          }),
        }),
      )
      .optional(),
  })
  .openapi("Error");

export type ErrorBody = z.infer<typeof errorBodySchema>;

export function errorBody(error: ApiError, requestId: string): ErrorBody {
  return {
    message: error.message,
    code: error.code,
    request_id: requestId,
    ...(error.details.length > 0 && { details: [...error.details] }),
  };
}

// For every schema of the service: this module is loaded with the first of them.
z.config({ customError: explainInvalid });

/** The answer to a failed validation: all problems at once, under one code, even if one of them is about a limit. */
export function invalidRequest(error: z.ZodError | { issues: readonly z.core.$ZodIssue[] }): ApiError {
  const isTooMany = error.issues.some(
    (issue) => issue.code === "custom" && issue.params?.code === "TOO_MANY_TOKENS",
  );
  return new ApiError(isTooMany ? "TOO_MANY_TOKENS" : "INVALID_REQUEST", detailsOf(error));
}

// Otherwise a body full of mistakes would get an answer forty times its size.
const DETAILS_MAX = 100;

/** Without the size of a value of the wrong kind: of a text in place of a list, it would count the characters. */
export function withoutSizesOfWrongKinds(issues: readonly z.core.$ZodIssue[]): z.core.$ZodIssue[] {
  const at = ({ path }: z.core.$ZodIssue): string => JSON.stringify(path);
  const wrongKinds = new Set(issues.filter(({ code }) => code === "invalid_type").map(at));
  return issues.filter((issue) => !/^too_(big|small)$/.test(issue.code) || !wrongKinds.has(at(issue)));
}

/** The details of a failed validation, one per problem, with JSON-like paths such as `token_ids[3]`. */
export function detailsOf(error: z.ZodError | { issues: readonly z.core.$ZodIssue[] }): ErrorDetail[] {
  return withoutSizesOfWrongKinds(error.issues)
    .flatMap(mostSpecific)
    .slice(0, DETAILS_MAX)
    .map((issue) => ({
      path: issue.path
        .map((part, depth) =>
          typeof part === "number" ? `[${part}]` : depth === 0 ? String(part) : `.${String(part)}`,
        )
        .join(""),
      message: issue.message,
    }));
}

/** For a value that fits none of several forms, the problems of the last one, which is the most general. */
function mostSpecific(issue: z.core.$ZodIssue): z.core.$ZodIssue[] {
  if (issue.code !== "invalid_union") return [issue];
  const last = issue.errors.at(-1) ?? [];
  return last.length === 0
    ? [issue]
    : last.map((inner) => ({ ...inner, path: [...issue.path, ...inner.path] }));
}
