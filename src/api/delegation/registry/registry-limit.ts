/** The registry is for everybody, so many requests at a time; a key lifts the limit (spec.md "Authentication"). */

import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { appOfKey, type KeyCheck, keyOf } from "../../http/key.ts";
import { answerLimit, type RateLimit, type RateLimiter } from "../../http/limits/rate-limit.ts";
import type { ApiEnv } from "../../http/router.ts";

/** spec.md "Limits": the delegation registry without a key. */
export const registryLimit: RateLimit = { name: "registry", requests: 25, seconds: 10 };

export interface RegistryLimitDeps {
  readonly keys: KeyCheck;
  readonly limiter: RateLimiter;
  readonly clientAddress: (c: Context) => string;
}

/** Any key that stands lifts the limit, whatever its app may do; one that does not is an error, not a visitor. */
export const limitVisitors = ({ keys, limiter, clientAddress }: RegistryLimitDeps) =>
  createMiddleware<ApiEnv>(async (c, next) => {
    const key = keyOf(c);
    if (key) {
      await appOfKey(c, keys, key);
      return next();
    }
    answerLimit(c, limiter.limit, await limiter.take(clientAddress(c)), "client address");
    await next();
  });
