/** Exact rate limits. Requests are counted in PostgreSQL, where all processes see them, or in this process alone. */

import {
  type RateLimiterAbstract,
  RateLimiterMemory,
  RateLimiterPostgres,
  RateLimiterRes,
} from "rate-limiter-flexible";
import { withTimeout } from "../../async/timeout.ts";
import type { Queryable } from "../../db/database.ts";
import type { AmountLimiter, RateLimit, RateLimiter, Taken } from "./rate-limit.ts";

// A limit protects the service, so counting must not take longer than answering.
const STORE_TIMEOUT_MS = 1_000;
// A window that lasts so much longer than a window does began before a clock stepped back. Less may be the clock of another
// process that shares it.
const CLOCKS_APART_MS = 60_000;

/** The counts of a limit, in fixed windows that start with a key's first request. */
export interface Points {
  /** Takes up to `count` points of the key's window, as many as are left. Never rejects. */
  take(
    key: string,
    count: number,
  ): Promise<{
    readonly granted: number;
    readonly remaining: number;
    readonly msBeforeNext: number;
    /** The points requested in the window so far, including those over the limit; 0 if this process requested none. */
    readonly count: number;
  }>;
  /** Returns one point to the key's window. Never rejects. */
  release(key: string): Promise<void>;
}

export interface ExactLimiter extends RateLimiter, AmountLimiter {
  /** `isFirstRefusal` is true once per key and window. */
  take(key: string, amount?: number): Promise<Taken & { readonly isFirstRefusal: boolean }>;
  /** Returns one request to the key's window. Never rejects. */
  release(key: string): Promise<void>;
}

/** Called once with a limit's name; returns what is called each time that the database is unreachable. */
export type OnFault = (limit: string) => () => void;

const windowOf = ({ name, requests, seconds }: RateLimit) => ({
  keyPrefix: name,
  points: requests,
  duration: seconds,
});

/**
 * Counts in PostgreSQL. While the database is away or slow, each process counts on its own: a limit is a protection,
 * and not a reason to refuse everybody.
 */
export function createPoints(database: Queryable, limit: RateLimit, onFault?: OnFault): Points {
  const countFault = onFault?.(limit.name);
  const limiter = new RateLimiterPostgres({
    ...windowOf(limit),
    storeClient: {
      query: async ({ text, values }: { text: string; values: readonly unknown[] }) => {
        const rows = await withTimeout(STORE_TIMEOUT_MS, database.query(text, values));
        if (rows) return { rows, rowCount: rows.length };
        countFault?.();
        throw new Error("the database did not answer");
      },
    },
    storeType: "client",
    schemaName: "vitrine",
    tableName: "rate_limit",
    // A migration creates it.
    tableCreated: true,
    // A client over the limit costs no further query until the window ends.
    inMemoryBlockOnConsumed: limit.requests + 1,
    insuranceLimiter: new RateLimiterMemory(windowOf(limit)),
  });
  return pointsOf(limiter, limit);
}

function pointsOf(limiter: RateLimiterAbstract, { requests, seconds }: RateLimit): Points {
  const mostMs = seconds * 1000 + CLOCKS_APART_MS;

  async function consume(key: string, count: number): ReturnType<Points["take"]> {
    try {
      const { remainingPoints, msBeforeNext, consumedPoints } = await limiter.consume(key, count);
      return { granted: count, remaining: remainingPoints, msBeforeNext, count: consumedPoints };
    } catch (refusal) {
      if (!(refusal instanceof RateLimiterRes)) throw refusal;
      // The row counts all requested points; this call alone gets those within the limit.
      const over = refusal.consumedPoints - requests;
      const granted = over > 0 ? Math.max(0, count - over) : 0;
      const { msBeforeNext, consumedPoints } = refusal;
      return { granted, remaining: 0, msBeforeNext, count: consumedPoints };
    }
  }

  return {
    async take(key, count) {
      const taken = await consume(key, count);
      if (taken.msBeforeNext <= mostMs) return taken;
      await limiter.delete(key).catch(() => undefined);
      return consume(key, count);
    },

    async release(key) {
      // If this fails, the client has one attempt fewer in this window.
      await limiter.reward(key, 1).catch(() => undefined);
    },
  };
}

export const resetSeconds = (msBeforeNext: number): number => Math.max(1, Math.ceil(msBeforeNext / 1000));

function exactLimiter(points: Points, limit: RateLimit): ExactLimiter {
  return {
    limit,
    async take(key, amount = 1) {
      const { granted, remaining, msBeforeNext, count } = await points.take(key, amount);
      return {
        isAllowed: granted === amount,
        remaining,
        resetSeconds: resetSeconds(msBeforeNext),
        isFirstRefusal: count > limit.requests && count - amount <= limit.requests,
      };
    },
    release: points.release,
  };
}

/**
 * Costs one statement per request, so at most 5,000 requests a second. For small limits, where a lease
 * (leased-rate-limiter.ts) would let too few through, and for amounts.
 */
export const createRateLimiter = (database: Queryable, limit: RateLimit, onFault?: OnFault): ExactLimiter =>
  exactLimiter(createPoints(database, limit, onFault), limit);

/** Counts in memory, without a query, for requests that cost only this process something. */
export const createMemoryRateLimiter = (limit: RateLimit): ExactLimiter =>
  exactLimiter(pointsOf(new RateLimiterMemory(windowOf(limit)), limit), limit);
