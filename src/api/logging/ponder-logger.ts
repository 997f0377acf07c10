/** Ponder's logger for values of ours. */

import { inspect } from "node:util";
import type { Logger } from "./logger.ts";

type Entry = Parameters<Logger["info"]>[0];

/**
 * The same logger, for any value as `error`: Ponder 0.17.7 sets members of it, which throws for text, null and what is
 * frozen, and anything may be thrown. What is no error is logged as `detail`.
 */
export function loggerForAnyError(logger: Logger): Logger {
  const at = (level: keyof Logger) => (entry: Entry) => logger[level](withoutPlainError(entry));
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}

function withoutPlainError(entry: Entry): Entry {
  const { error, ...others } = entry;
  if (error === undefined || error instanceof Error) return entry;
  return { detail: typeof error === "object" ? inspect(error, { depth: 0 }) : String(error), ...others };
}
