/**
 * Ends waits that are longer than any that is ever begun: their ends were set by a clock that has stepped back since, and
 * would come only once it has caught up.
 */

import type { Database, Queryable } from "../db/database.ts";
import type { Logger } from "../logging/logger.ts";
import { type PassLoop, startPassLoop } from "./pass-loop.ts";

const EVERY_MS = 60_000;
// Rows are locked until they are written.
const BATCH = 1_000;

/** Ends up to `limit` waits; returns how many. */
export type EndLongWaits = (db: Queryable, limit: number) => Promise<number>;

/** Ends such waits every minute until it is stopped. */
export function startLongWaits(deps: {
  readonly database: Database;
  readonly ends: readonly EndLongWaits[];
  readonly isOn: boolean;
  readonly logger: Logger;
}): PassLoop {
  const { database, ends, isOn, logger } = deps;
  async function endAll(end: EndLongWaits, signal: AbortSignal): Promise<number> {
    let ended = 0;
    let count: number;
    do {
      count = await end(database, BATCH);
      ended += count;
    } while (count === BATCH && !signal.aborted);
    return ended;
  }
  return startPassLoop({
    task: "end waits of a clock that has stepped back",
    pollMs: EVERY_MS,
    isOn,
    logger,
    async pass(signal) {
      // One that fails is reported by the loop, and keeps no other from its turn.
      const all = await Promise.allSettled(ends.map((each) => endAll(each, signal)));
      const ended = all.reduce((sum, each) => sum + (each.status === "fulfilled" ? each.value : 0), 0);
      if (ended > 0) logger.warn({ msg: "A clock has stepped back; what waited for it is due now", ended });
      for (const each of all) if (each.status === "rejected") throw each.reason;
    },
  });
}
