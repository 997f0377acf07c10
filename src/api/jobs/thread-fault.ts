/** Errors between threads, which lose their class and their fields when they are posted. */

import { ApiError, type ErrorCode, type ErrorDetail } from "../http/errors.ts";

/** An error in a form that crosses threads with its code. */
export interface Fault {
  readonly message: string;
  /** Of an ApiError. */
  readonly api?: { readonly code: ErrorCode; readonly details: readonly ErrorDetail[] };
  /** Of an error of the database or the system. */
  readonly code?: string;
}

export function toFault(error: unknown): Fault {
  const { message, code } = error as Error & { code?: unknown };
  if (error instanceof ApiError) return { message, api: { code: error.code, details: [...error.details] } };
  return { message: String(message), ...(typeof code === "string" && { code }) };
}

/** An error of the same kind: a client's own is answered as such, and a database that is away as that. */
export const fromFault = ({ message, api, code }: Fault): Error =>
  api ? new ApiError(api.code, api.details) : Object.assign(new Error(message), code && { code });
