/** Ways to count requests for `rateLimit`. */

import type { Context } from "hono";
import { createMiddleware } from "hono/factory";
import { compose } from "../compose.ts";
import { apiKeyOf, appOfKey, type KeyCheck } from "../key.ts";
import type { ApiEnv } from "../router.ts";
import type { InFlightLimiter } from "./in-flight-limiter.ts";
import { answerLimit, type Counted, type RateLimiter, rateLimit, type Taken } from "./rate-limit.ts";
import { type Tier, tierNames } from "./tiers.ts";

const HIGHEST_TIER = tierNames.at(-1);

/** One limiter per tier. */
export type TierLimiters = Readonly<Record<Tier, RateLimiter>>;

/** Called for every request with a valid key. */
export type CountUsage = (appId: string, api: string, isAllowed: boolean) => void;

type Count = (c: Context<ApiEnv>) => Promise<Counted | undefined>;

/**
 * Limits requests of which one may hold several: `rateLimit` with the same `count`, and `countRequests` for the route to
 * count the others.
 */
export const limitEach = (count: Count) =>
  compose(
    rateLimit(count),
    createMiddleware<ApiEnv>((c, next) => {
      c.set("countRequests", async (more) => {
        for (let counted = 0; counted < more; counted++) {
          const found = await count(c);
          if (found) answerLimit(c, found, await found.taken);
        }
      });
      return next();
    }),
  );

/** By client address. */
export const perClient =
  (limiter: RateLimiter, clientAddress: (c: Context) => string) =>
  (c: Context): Counted => ({ limit: limiter.limit, per: "client", taken: limiter.take(clientAddress(c)) });

/** By app. Requires the app of a key: `requireKey` or `perCaller` must come before it. */
export const perApp =
  (limiter: RateLimiter | InFlightLimiter) =>
  (c: Context<ApiEnv>): Counted => ({
    limit: limiter.limit,
    per: "app",
    taken: limiter.take(c.get("app").id),
  });

/** By app, in the limiter of its tier, and counted as usage of `api`. Requires the app of a key, as `perApp` does. */
export const perTier =
  (
    {
      limiters,
      countUsage,
      limitsPage,
    }: {
      readonly limiters: TierLimiters;
      readonly countUsage: CountUsage;
      /** The URL of the page where an app requests another tier. */
      readonly limitsPage: (appId: string) => string;
    },
    api: string,
  ) =>
  (c: Context<ApiEnv>): Counted => {
    const { id, tier } = c.get("app");
    const { limit, take } = limiters[tier] ?? limiters.basic;
    const note = (taken: Taken): Taken => {
      countUsage(id, api, taken.isAllowed);
      return taken;
    };
    const taken = take(id);
    const url = limitsPage(id);
    const cure = tier === HIGHEST_TIER ? undefined : { message: `request a higher tier at ${url}`, url };
    return { limit, per: "app", cure, taken: taken instanceof Promise ? taken.then(note) : note(taken) };
  };

/**
 * For routes that need no key: `anonymous` counts requests without one, `keyed` those with one; without `keyed`,
 * requests with a key are not limited. Sets the app of a key. Throws KEY_INVALID for a wrong key, so that no client
 * mistakes the anonymous limit for that of its app.
 */
export const perCaller =
  (
    keys: KeyCheck,
    count: {
      readonly anonymous: (c: Context<ApiEnv>) => Counted;
      readonly keyed?: (c: Context<ApiEnv>) => Counted;
    },
  ) =>
  async (c: Context<ApiEnv>): Promise<Counted | undefined> => {
    const key = apiKeyOf(c);
    if (!key) return count.anonymous(c);
    c.set("app", await appOfKey(c, keys, key));
    return count.keyed?.(c);
  };
