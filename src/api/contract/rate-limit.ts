/** Limits per app: so many requests in a window of time, and so many at once. */

import { createMiddleware } from "hono/factory";
import { ApiError } from "./errors.ts";
import type { ApiEnv } from "./router.ts";

export interface RateLimit {
  /** Tells limits apart; a limit of the same name is the same limit in every process. */
  readonly name: string;
  readonly requests: number;
  readonly seconds: number;
}

export interface RateLimiter {
  readonly limit: RateLimit;
  /** Takes one request of the key's window. */
  take(key: string): Promise<{
    readonly isAllowed: boolean;
    readonly remaining: number;
    /** Until the window ends; at least 1. */
    readonly resetSeconds: number;
  }>;
}

const RETRY_AT_ONCE_SECONDS = "1";

/** Refuses an app's requests past the limit; every answer tells how much is left. Needs `requireKey` before it. */
export const limitRate = ({ limit, take }: RateLimiter) =>
  createMiddleware<ApiEnv>(async (c, next) => {
    const { isAllowed, remaining, resetSeconds } = await take(c.get("app").id);
    c.header("RateLimit-Limit", String(limit.requests));
    c.header("RateLimit-Remaining", String(remaining));
    c.header("RateLimit-Reset", String(resetSeconds));
    if (!isAllowed) {
      c.header("Retry-After", String(resetSeconds));
      const message = `the limit is ${limit.requests} requests per ${limit.seconds} seconds and app; try again in ${resetSeconds} s`;
      throw new ApiError("RATE_LIMITED", [{ path: "", message }]);
    }
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
