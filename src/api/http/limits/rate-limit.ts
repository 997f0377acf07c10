/** Limits of requests: so many in a window of time, and so many at once. */

import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { ApiError } from "../errors.ts";
import { setHeader } from "../headers.ts";
import type { ApiEnv } from "../router.ts";
import type { Tier } from "./tiers.ts";

export interface RateLimit {
  /** Tells limits apart; a limit of the same name is the same limit in every process. */
  readonly name: string;
  readonly requests: number;
  readonly seconds: number;
}

export interface Taken {
  readonly isAllowed: boolean;
  readonly remaining: number;
  /** Until the window ends; at least 1. */
  readonly resetSeconds: number;
}

export interface RateLimiter {
  readonly limit: RateLimit;
  /** Takes one request of the key's window. */
  take(key: string): Promise<Taken> | Taken;
}

/** For what comes in different amounts. */
export interface AmountLimiter {
  readonly limit: RateLimit;
  /** Takes all of it or refuses; a key that was refused has nothing left until the window ends. */
  take(key: string, amount: number): Promise<Taken>;
}

const RETRY_AT_ONCE_SECONDS = "1";

/** Tells how much is left of a limit, and throws RATE_LIMITED when it was nothing. `whose` is whom the limit counts. */
export function answerLimit(
  c: Context,
  limit: RateLimit,
  taken: Taken,
  whose: "app" | "client address",
): void {
  const reset = String(taken.resetSeconds);
  setHeader(c, "RateLimit-Limit", String(limit.requests));
  setHeader(c, "RateLimit-Remaining", String(taken.remaining));
  setHeader(c, "RateLimit-Reset", reset);
  if (taken.isAllowed) return;
  setHeader(c, "Retry-After", reset);
  throw new ApiError("RATE_LIMITED", [{ path: "", message: overLimit(limit, taken.resetSeconds, whose) }]);
}

/** What somebody past a limit is told. `what` it counts, in the plural. */
export const overLimit = (
  { requests, seconds }: RateLimit,
  resetSeconds: number,
  whose: "app" | "client address",
  what = "requests",
): string =>
  `the limit is ${requests} ${what} per ${seconds} seconds and ${whose}; try again in ${resetSeconds} s`;

/** Refuses an app's requests past the limit; every answer tells how much is left. Needs `requireKey` before it. */
export const limitRate = ({ limit, take }: RateLimiter) =>
  createMiddleware<ApiEnv>(async (c, next) => {
    answerLimit(c, limit, await take(c.get("app").id), "app");
    await next();
  });

/** One limiter per tier. */
export type TierLimiters = Readonly<Record<Tier, RateLimiter>>;

/** Told of every request that holds a good key. */
export type CountUsage = (appId: string, api: string, isAllowed: boolean) => void;

/** Refuses an app's requests to a gateway API past its tier. Needs `requireKey` before it. */
export const limitApp = (limiters: TierLimiters, api: string, count: CountUsage) =>
  createMiddleware<ApiEnv>(async (c, next) => {
    const { id, tier } = c.get("app");
    const { limit, take } = limiters[tier] ?? limiters.basic;
    let taken = take(id);
    // Within a lease the answer is there, and a request need not wait for another turn of the event loop.
    if (taken instanceof Promise) taken = await taken;
    count(id, api, taken.isAllowed);
    answerLimit(c, limit, taken, "app");
    await next();
  });

/**
 * Refuses an app's request while `requestsMax` others of it are being answered by this process, which is what they
 * cost: memory and sockets. Needs `requireKey` before it.
 */
export function limitAtOnce(requestsMax: number) {
  const running = new Map<string, number>();
  return createMiddleware<ApiEnv>(async (c, next) => {
    const app = c.get("app").id;
    const others = running.get(app) ?? 0;
    if (others >= requestsMax) {
      c.header("Retry-After", RETRY_AT_ONCE_SECONDS);
      const message = `the limit is ${requestsMax} requests at once per app; wait for one to end`;
      throw new ApiError("RATE_LIMITED", [{ path: "", message }]);
    }
    running.set(app, others + 1);
    try {
      await next();
    } finally {
      const left = (running.get(app) ?? 1) - 1;
      if (left === 0) running.delete(app);
      else running.set(app, left);
    }
  });
}
