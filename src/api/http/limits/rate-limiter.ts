/** Request limits that hold across all processes on one database. */

import { RateLimiterMemory, RateLimiterPostgres, RateLimiterRes } from "rate-limiter-flexible";
import type { Queryable } from "../../db/database.ts";
import type { AmountLimiter, RateLimit, RateLimiter, Taken } from "./rate-limit.ts";

// A limit protects the service; waiting longer for it than for an answer would be the opposite.
const STORE_TIMEOUT_MS = 1_000;

export interface Points {
  /** Takes up to `count` points of the key's window, as many as are left. Never rejects. */
  take(
    key: string,
    count: number,
  ): Promise<{
    readonly granted: number;
    readonly remaining: number;
    readonly msBeforeNext: number;
    /** How many points of the window are asked for now, those past the limit included; 0 where this process did not ask. */
    readonly count: number;
  }>;
  /** Gives one point of the key's window back. Never rejects. */
  release(key: string): Promise<void>;
  /** How many points of the key's window are taken; those past the limit count too. */
  taken(key: string): Promise<{ readonly count: number; readonly msBeforeNext: number }>;
}

/** Told of each time that the database could not be asked, with the limit's name. */
export type OnFault = (limit: string) => void;

/**
 * Counts in a fixed window that starts with a key's first request. While the database is away or slow each process
 * counts for itself: a limit protects, and is no reason to refuse everybody.
 */
export function createPoints(database: Queryable, limit: RateLimit, onFault: OnFault = () => {}): Points {
  const { name, requests, seconds } = limit;
  const window = { keyPrefix: name, points: requests, duration: seconds };
  const limiter = new RateLimiterPostgres({
    ...window,
    storeClient: {
      query: async ({ text, values }: { text: string; values: readonly unknown[] }) => {
        try {
          const rows = await withTimeLimit(database.query(text, values));
          return { rows, rowCount: rows.length };
        } catch (error) {
          onFault(name);
          throw error;
        }
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

  return {
    async take(key, count) {
      try {
        const { remainingPoints, msBeforeNext, consumedPoints } = await limiter.consume(key, count);
        return { granted: count, remaining: remainingPoints, msBeforeNext, count: consumedPoints };
      } catch (refusal) {
        if (!(refusal instanceof RateLimiterRes)) throw refusal;
        // The row counts what was asked for; the part of it that is within the limit is ours and nobody else's.
        const over = refusal.consumedPoints - requests;
        const granted = over > 0 ? Math.max(0, count - over) : 0;
        const { msBeforeNext, consumedPoints } = refusal;
        return { granted, remaining: 0, msBeforeNext, count: consumedPoints };
      }
    },

    async release(key) {
      // A point that stays taken costs its client one attempt of a minute.
      await limiter.reward(key, 1).catch(() => undefined);
    },

    async taken(key) {
      const found = await limiter.get(key);
      return { count: found?.consumedPoints ?? 0, msBeforeNext: found?.msBeforeNext ?? 0 };
    },
  };
}

async function withTimeLimit<Answer>(answer: Promise<Answer>): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(new Error("the database took too long")), STORE_TIMEOUT_MS);
  });
  try {
    return await Promise.race([answer, late]);
  } finally {
    clearTimeout(timer);
  }
}

export const resetSeconds = (msBeforeNext: number): number => Math.max(1, Math.ceil(msBeforeNext / 1000));

/** For what a request costs this process alone: counts in memory, and asks no database. */
export function createMemoryRateLimiter(limit: RateLimit): RateLimiter {
  const limiter = new RateLimiterMemory({
    keyPrefix: limit.name,
    points: limit.requests,
    duration: limit.seconds,
  });
  return {
    limit,
    async take(key) {
      const { consumedPoints, remainingPoints, msBeforeNext } = await limiter.penalty(key, 1);
      const isAllowed = consumedPoints <= limit.requests;
      return { isAllowed, remaining: Math.max(0, remainingPoints), resetSeconds: resetSeconds(msBeforeNext) };
    },
  };
}

/** Exact: every request is one statement. For limits that are few requests wide, and for amounts. */
export function createRateLimiter(
  database: Queryable,
  limit: RateLimit,
  onFault?: OnFault,
): RateLimiter & AmountLimiter {
  const points = createPoints(database, limit, onFault);
  const take = async (key: string, amount = 1): Promise<Taken> => {
    const { granted, remaining, msBeforeNext } = await points.take(key, amount);
    return { isAllowed: granted === amount, remaining, resetSeconds: resetSeconds(msBeforeNext) };
  };
  return { limit, take };
}
