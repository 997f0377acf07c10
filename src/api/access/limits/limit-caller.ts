/** For doors that need no key: callers without one are limited by client address, those with one by their app's tier. */

import type { Env } from "hono";
import { createMiddleware } from "hono/factory";
import { appOfKey, type KeyCheck, keyOf } from "../../http/key.ts";
import { answerLimit } from "../../http/limits/rate-limit.ts";
import type { ApiEnv } from "../../http/router.ts";
import type { RateLimits } from "./rate-limits.ts";

/** For what people and their tools open: limited by client address, together with GraphQL without a key. */
export const limitVisitor = <E extends Env>(
  rateLimits: Pick<RateLimits, "anonymousGraphql" | "clientAddress">,
) =>
  createMiddleware<E>(async (c, next) => {
    const { limit, take } = rateLimits.anonymousGraphql;
    answerLimit(c, limit, await take(rateLimits.clientAddress(c)), "client address");
    await next();
  });

/** For pictures, which caches keep with their headers: those tell of a limit only where it is reached. */
export const limitMedia = (rateLimits: Pick<RateLimits, "media" | "clientAddress">) =>
  createMiddleware<ApiEnv>(async (c, next) => {
    const { limit, take } = rateLimits.media;
    const taken = await take(rateLimits.clientAddress(c));
    if (!taken.isAllowed) {
      c.header("Cache-Control", "no-store");
      answerLimit(c, limit, taken, "client address");
    }
    await next();
  });

/**
 * Sets `app` where there is a key. Throws KEY_INVALID for a key that is none, so that nobody believes to be past the limit
 * of strangers.
 */
export const limitCaller = (keys: KeyCheck, rateLimits: RateLimits, api: string) =>
  createMiddleware<ApiEnv>(async (c, next) => {
    const key = keyOf(c);
    if (!key) {
      const { limit, take } = rateLimits.anonymousGraphql;
      answerLimit(c, limit, await take(rateLimits.clientAddress(c)), "client address");
      return next();
    }
    const app = await appOfKey(c, keys, key);
    c.set("app", app);
    const { limit, take } = rateLimits.limiters[app.tier];
    const taken = await take(app.id);
    rateLimits.countUsage(app.id, api, taken.isAllowed);
    answerLimit(c, limit, taken, "app");
    return next();
  });
