/** The messages between the service and a search thread. */

import type { CollectionRef } from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Fault } from "../../jobs/thread-fault.ts";
import type { Logger } from "../../logging/logger.ts";
import type { Answered, Kind, Question } from "./questions.ts";

/** Milliseconds of a clock that all threads of a process share, as those of `performance` are not. */
export const threadClock = (): number => Number(process.hrtime.bigint() / 1_000_000n);

/** What a thread needs to begin. */
export interface ThreadStart {
  readonly connectionString: string;
  readonly tables: ChainTables;
}

export type ToThread =
  /** Nobody waits for the answer once `threadClock` is past `deadline`. */
  | { readonly type: "ask"; readonly id: number; readonly question: Question; readonly deadline: number }
  | { readonly type: "drop"; readonly collection: CollectionRef }
  | { readonly type: "ping" };

export type FromThread =
  | { readonly type: "ready" }
  | { readonly type: "pong" }
  | { readonly type: "answer"; readonly id: number; readonly answer: Answered[Kind] }
  | {
      readonly type: "failure";
      readonly id: number;
      readonly collection: CollectionRef;
      readonly fault: Fault;
    }
  | { readonly type: "size"; readonly collection: CollectionRef; readonly bytes: number }
  | { readonly type: "log"; readonly level: keyof Logger; readonly entry: Parameters<Logger["info"]>[0] };
