/** The messages between the service and a search thread. */

import type { CollectionRef } from "../../../domain/token-ref.ts";
import type { ChainTables } from "../../chain/index/tables.ts";
import type { Fault } from "../../jobs/thread-fault.ts";
import type { Logger } from "../../logging/logger.ts";
import type { Answered, Kind, Question } from "./questions.ts";

/** What a thread needs to begin. */
export interface ThreadStart {
  readonly connectionString: string;
  readonly tables: ChainTables;
}

export type ToThread =
  | { readonly type: "ask"; readonly id: number; readonly question: Question }
  | { readonly type: "drop"; readonly collection: CollectionRef }
  | { readonly type: "ping" };

export type FromThread =
  | { readonly type: "ready" }
  | { readonly type: "pong" }
  | { readonly type: "answer"; readonly id: number; readonly answer: Answered[Kind] }
  | { readonly type: "failure"; readonly id: number; readonly fault: Fault }
  | { readonly type: "size"; readonly collection: CollectionRef; readonly bytes: number }
  | { readonly type: "log"; readonly level: keyof Logger; readonly entry: Parameters<Logger["info"]>[0] };
