/** Names the request in each log line that is written while it is answered. */

import type { Logger } from "../logging/logger.ts";
import { currentScope } from "./spans.ts";

type Entry = Parameters<Logger["info"]>[0];

/** Adds the id of the request that the current work belongs to, which is known while traces are on; others pass it themselves. */
export function nameRequests(logger: Logger): Logger {
  const named = (entry: Entry): Entry => {
    const requestId = currentScope()?.owner.requestId;
    return requestId === undefined || "request_id" in entry ? entry : { ...entry, request_id: requestId };
  };
  return {
    debug: (entry) => logger.debug(named(entry)),
    info: (entry) => logger.info(named(entry)),
    warn: (entry) => logger.warn(named(entry)),
    error: (entry) => logger.error(named(entry)),
  };
}
