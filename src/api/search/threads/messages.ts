/** The messages between the service and a search thread. */

import type { ChainTables } from "../../chain/index/tables.ts";
import { ApiError, type ErrorCode, type ErrorDetail } from "../../http/errors.ts";
import type { Logger } from "../../http/logger.ts";
import type { CollectionRef } from "../../metadata/traits/trait-type-store.ts";
import type { Answered, Kind, Question } from "./questions.ts";

/** What a thread needs to begin. */
export interface ThreadStart {
  readonly connectionString: string;
  readonly tables: ChainTables;
}

export type ToThread =
  | { readonly type: "ask"; readonly id: number; readonly question: Question }
  | { readonly type: "drop"; readonly collection: CollectionRef };

export type FromThread =
  | { readonly type: "ready" }
  | { readonly type: "answer"; readonly id: number; readonly answer: Answered[Kind] }
  | { readonly type: "failure"; readonly id: number; readonly fault: Fault }
  | { readonly type: "size"; readonly collection: CollectionRef; readonly bytes: number }
  | { readonly type: "log"; readonly level: keyof Logger; readonly entry: Parameters<Logger["info"]>[0] };

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
