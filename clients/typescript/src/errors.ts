/** What a failed request throws. */

import type { components } from "./api.ts";

/** The codes of the service's own errors. */
export type ErrorCode = components["schemas"]["ErrorCode"];

/**
 * `NETWORK`: no complete response arrived (no connection, a broken one, or the time limit).
 * `UNEXPECTED_RESPONSE`: something other than the service answered, such as a proxy.
 */
export type VitrineErrorCode = ErrorCode | "NETWORK" | "UNEXPECTED_RESPONSE";

export type ErrorDetail = NonNullable<components["schemas"]["Error"]["details"]>[number];

interface ErrorFacts {
  readonly code: VitrineErrorCode;
  readonly status?: number;
  readonly details?: readonly ErrorDetail[];
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

export class VitrineError extends Error {
  override readonly name = "VitrineError";
  /** A later release of the service may send a code that these types don't list. */
  readonly code: VitrineErrorCode;
  /** The HTTP status; 0 for `NETWORK`, and for a redirect in a browser, which hides it. */
  readonly status: number;
  /** One per problem: where it is, what was expected and what arrived. */
  readonly details: readonly ErrorDetail[];
  /** Name it when you ask the operator about an error. */
  readonly requestId: string | undefined;
  /** How long the service asked to wait before the same request, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, facts: ErrorFacts) {
    super(message, { cause: facts.cause });
    this.code = facts.code;
    this.status = facts.status ?? 0;
    this.details = facts.details ?? [];
    this.requestId = facts.requestId;
    this.retryAfterMs = facts.retryAfterMs;
  }
}

/** The error that a response describes; reads its body. */
export async function errorOf(response: Response): Promise<VitrineError> {
  const { status, headers } = response;
  const facts = { status, retryAfterMs: retryAfterMs(headers.get("retry-after")) };
  const inHeader = headers.get("x-request-id") ?? undefined;
  const text = await response.text().catch(() => "");
  const body = parse(text);
  if (!body)
    return new VitrineError(`HTTP ${status} without an error of Vitrine: ${text.slice(0, 200)}`, {
      ...facts,
      code: "UNEXPECTED_RESPONSE",
      requestId: inHeader,
    });
  const details = Array.isArray(body.details) ? body.details.filter(isDetail) : [];
  const described = details.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  return new VitrineError([body.message, ...described].join("; "), {
    ...facts,
    code: body.code as ErrorCode,
    details,
    requestId: typeof body.request_id === "string" ? body.request_id : inHeader,
  });
}

/** An error of Vitrine, or of a gateway in front that has the same two fields and any others. */
interface ErrorBody extends Readonly<Record<string, unknown>> {
  readonly code: string;
  readonly message: string;
}

function parse(text: string): ErrorBody | undefined {
  try {
    const body = JSON.parse(text) as Record<string, unknown> | null;
    return typeof body?.code === "string" && typeof body.message === "string"
      ? (body as ErrorBody)
      : undefined;
  } catch {
    return undefined;
  }
}

function isDetail(value: unknown): value is ErrorDetail {
  const { path, message } = (value ?? {}) as Record<string, unknown>;
  return typeof path === "string" && typeof message === "string";
}

/** What a JSON text of a successful response holds; `UNEXPECTED_RESPONSE` unless it is an object or an array. */
export function parseBody(text: string, what: "response" | "row" | "event", status: number): object {
  const facts = { code: "UNEXPECTED_RESPONSE", status } as const;
  let body: unknown;
  try {
    body = JSON.parse(text);
  } catch (cause) {
    throw new VitrineError(`The ${what} is not JSON: ${(cause as Error).message}`, { ...facts, cause });
  }
  if (typeof body === "object" && body !== null) return body;
  throw new VitrineError(`The ${what} is no JSON object: ${text.slice(0, 200)}`, facts);
}

// `Date.parse` takes far more for dates: "-1" and "1.5" are past ones, which ask for no wait.
const HTTP_DATE = /^[A-Z][a-z]+, \d\d[ -][A-Z][a-z]{2}[ -]\d{2,4} \d\d:\d\d:\d\d GMT$/;

/** `Retry-After` (RFC 9110, 10.2.3: seconds or a date) in milliseconds from now; undefined without a valid one. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  if (/^\d+$/.test(header)) return Number(header) * 1_000;
  const date = HTTP_DATE.test(header) ? Date.parse(header) : Number.NaN;
  return Number.isNaN(date) ? undefined : Math.max(0, date - Date.now());
}
