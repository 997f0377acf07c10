/** Request limits that hold across all processes on one database. */

import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { RateLimit, RateLimiter } from "../contract/rate-limit.ts";
import type { Queryable } from "./database.ts";

/**
 * Counts in a fixed window that starts with a key's first request. While the database is away each process counts for
 * itself: a limit protects, and is no reason to refuse everybody.
 */
export function createRateLimiter(database: Queryable, limit: RateLimit): RateLimiter {
  const { name, requests, seconds } = limit;
  const window = { keyPrefix: name, points: requests, duration: seconds };
  const limiter = new RateLimiterPostgres({
    ...window,
    storeClient: {
      query: async ({ text, values }: { text: string; values: readonly unknown[] }) => {
        const rows = await database.query(text, values);
        return { rows, rowCount: rows.length };
      },
    },
    storeType: "client",
    schemaName: "vitrine",
    tableName: "rate_limit",
    // By a migration of ours.
    tableCreated: true,
    // Who is over the limit costs no further query until the window ends.
    inMemoryBlockOnConsumed: requests + 1,
    insuranceLimiter: new RateLimiterMemory(window),
  });
  const taken = (isAllowed: boolean, { remainingPoints, msBeforeNext }: RateLimiterRes) => ({
    isAllowed,
    remaining: isAllowed ? remainingPoints : 0,
    resetSeconds: Math.max(1, Math.ceil(msBeforeNext / 1000)),
  });

  return {
    limit,
    async take(key) {
      try {
        return taken(true, await limiter.consume(key));
      } catch (refusal) {
        if (refusal instanceof RateLimiterRes) return taken(false, refusal);
        throw refusal;
      }
    },
  };
}
