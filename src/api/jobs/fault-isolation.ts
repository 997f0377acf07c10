/** Keeps what fails in a pass from what comes after it: each piece of work fails by itself, and then rests. */

import { LRUCache } from "lru-cache";
import { isDatabaseAway } from "../db/database-away.ts";
import type { Logger } from "../logging/logger.ts";
import { backgroundRest } from "./background-rest.ts";

const REST_MIN_MS = 1_000;
const RESTING_MAX = 10_000;

export interface FaultIsolation {
  /**
   * Runs the piece of work that `about` identifies, here and in the log. Undefined if it failed, or rests because it did.
   * Rejects while the database is away, since everything else would fail as well.
   */
  run<Result>(
    about: Readonly<Record<string, unknown>>,
    work: () => Promise<Result>,
  ): Promise<Result | undefined>;
}

/** `task` completes the sentence "Could not …" in the log. */
export function createFaultIsolation(task: string, logger: Logger): FaultIsolation {
  const resting = new LRUCache<string, true>({ max: RESTING_MAX });
  return {
    async run(about, work) {
      const key = JSON.stringify(about);
      if (resting.has(key)) return undefined;
      const startedAt = performance.now();
      try {
        return await work();
      } catch (error) {
        if (isDatabaseAway(error)) throw error;
        const ttl = Math.max(REST_MIN_MS, backgroundRest(performance.now() - startedAt));
        resting.set(key, true, { ttl });
        logger.warn({ msg: `Could not ${task}`, ...about, reason: (error as Error).message });
        return undefined;
      }
    },
  };
}
