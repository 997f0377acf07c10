/** Who may send how much: every limit of the service in one place, and the address that strangers are counted by. */

import type { Context } from "hono";
import type { Queryable } from "../../db/database.ts";
import { createClientAddress } from "../../http/client-address.ts";
import { createLeasedRateLimiter } from "../../http/limits/leased-rate-limiter.ts";
import type {
  AmountLimiter,
  CountUsage,
  RateLimit,
  RateLimiter,
  TierLimiters,
} from "../../http/limits/rate-limit.ts";
import { createPoints, createRateLimiter, type OnFault } from "../../http/limits/rate-limiter.ts";
import {
  anonymousGraphqlLimit,
  anonymousTokensLimit,
  mediaLimit,
  type Tier,
  tiers,
} from "../../http/limits/tiers.ts";
import { type BruteForceGuard, createBruteForceGuard } from "./brute-force-guard.ts";

/** Wrong operator tokens and sign-ins of one client: enough for typing errors, too few for guessing. */
export const failureLimit: RateLimit = { name: "operator-failures", requests: 10, seconds: 60 };

/** Wrong API keys of one client address: a program that retries is told, and a search for keys gets nowhere. */
export const wrongKeyLimit: RateLimit = { name: "wrong-keys", requests: 600, seconds: 60 };

/** What one client may change at the console: more than hands do, and few enough rows for strangers to leave. */
export const consoleLimit: RateLimit = { name: "console", requests: 60, seconds: 60 };

export interface RateLimits {
  /** Of apps, at the gateway APIs. */
  readonly limiters: TierLimiters;
  /** Of client addresses, at POST /graphql. */
  readonly anonymousGraphql: RateLimiter;
  /** Of client addresses, at cached pictures. */
  readonly media: RateLimiter;
  /** Of client addresses: token ids that callers without a key have refreshed. */
  readonly anonymousTokens: AmountLimiter;
  /** Of client addresses, at what the console changes. */
  readonly console: RateLimiter;
  /** Of client addresses: wrong operator tokens and failed sign-ins. */
  readonly failures: BruteForceGuard;
  /** Of client addresses: API keys that do not exist. */
  readonly wrongKeys: BruteForceGuard;
  readonly clientAddress: (c: Context) => string;
  readonly countUsage: CountUsage;
}

export interface RateLimitDeps {
  readonly database: Queryable;
  readonly trustedProxies: readonly string[];
  readonly countUsage: CountUsage;
  /** Told when a limit could not be asked of the database and each process counts for itself. */
  readonly onFault?: OnFault;
  /** Told once per client and window that failed to prove itself too often. */
  readonly onFirstRefusal?: (client: string) => Promise<void>;
  /** In place of the tiers of contract/tiers.ts. */
  readonly limits?: Readonly<Record<Tier, RateLimit>>;
}

export function createRateLimits({
  database,
  trustedProxies,
  countUsage,
  onFault,
  onFirstRefusal,
  limits = tiers,
}: RateLimitDeps): RateLimits {
  const clientAddress = createClientAddress(trustedProxies);
  const guard = (limit: RateLimit, told?: (client: string) => Promise<void>): BruteForceGuard =>
    createBruteForceGuard({
      points: createPoints(database, limit, onFault),
      limit,
      clientAddress,
      onFirstRefusal: told,
    });
  const leased = (limit: RateLimit): RateLimiter =>
    createLeasedRateLimiter(createPoints(database, limit, onFault), limit);
  return {
    limiters: {
      basic: leased(limits.basic),
      intermediate: leased(limits.intermediate),
      advanced: leased(limits.advanced),
    },
    anonymousGraphql: leased(anonymousGraphqlLimit),
    media: leased(mediaLimit),
    anonymousTokens: createRateLimiter(database, anonymousTokensLimit, onFault),
    console: leased(consoleLimit),
    failures: guard(failureLimit, onFirstRefusal),
    wrongKeys: guard(wrongKeyLimit),
    clientAddress,
    countUsage,
  };
}
