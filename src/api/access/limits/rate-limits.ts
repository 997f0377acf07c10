/**
 * The limits that access enforces, built in one place, and the client address that anonymous callers are counted by.
 */

import type { Context } from "hono";
import type { Queryable } from "../../db/database.ts";
import { createClientAddress } from "../../http/client-address.ts";
import type { CountUsage, TierLimiters } from "../../http/limits/count-requests.ts";
import { createLeasedRateLimiter } from "../../http/limits/leased-rate-limiter.ts";
import type { AmountLimiter, RateLimit, RateLimiter } from "../../http/limits/rate-limit.ts";
import { createPoints, createRateLimiter, type OnFault } from "../../http/limits/rate-limiter.ts";
import {
  anonymousGraphqlLimit,
  anonymousTokensLimit,
  mediaLimit,
  type Tier,
  tiers,
} from "../../http/limits/tiers.ts";
import { type BruteForceGuard, createBruteForceGuard } from "./brute-force-guard.ts";

/**
 * Wrong operator tokens and failed sign-ins, per client: enough for typing errors, too few for a brute-force attack.
 */
export const failureLimit: RateLimit = {
  name: "operator-failures",
  requests: 10,
  seconds: 60,
  unit: "failed sign-ins",
};

/** Wrong API keys, per client: enough for a program that retries, too few for a search for keys. */
export const wrongKeyLimit: RateLimit = {
  name: "wrong-keys",
  requests: 600,
  seconds: 60,
  unit: "wrong API keys",
};

/** Changes in the console, per client: more than a person makes, and a bound on the rows that anyone can add. */
const consoleLimit: RateLimit = { name: "console", requests: 60, seconds: 60 };

export interface RateLimits {
  /** Per app, at the gateway APIs. */
  readonly limiters: TierLimiters;
  /** Per client without a key, at POST /graphql and pages. */
  readonly anonymousGraphql: RateLimiter;
  /** Per client, at stored images. */
  readonly media: RateLimiter;
  /** Per client without a key: token ids to refresh. */
  readonly anonymousTokens: AmountLimiter;
  /** Per client, for changes in the console. */
  readonly console: RateLimiter;
  /** Per client: wrong operator tokens and failed sign-ins. */
  readonly failures: BruteForceGuard;
  /** Per client: API keys that don't exist. */
  readonly wrongKeys: BruteForceGuard;
  readonly clientAddress: (c: Context) => string;
  readonly countUsage: CountUsage;
  /** The URL of the page where an app requests another tier. */
  readonly limitsPage: (appId: string) => string;
  /** The URL of the page where an app requests permissions. */
  readonly permissionsPage: (app: { readonly id: string }) => string;
}

export interface RateLimitDeps {
  readonly database: Queryable;
  readonly trustedProxies: readonly string[];
  readonly countUsage: CountUsage;
  readonly baseUrl: string;
  /** Called when the database is unreachable and this process counts alone. */
  readonly onFault?: OnFault;
  /** Called once per client and window at the first refusal of a sign-in or operator token. */
  readonly onFirstRefusal?: (client: string) => Promise<void>;
  /** Replaces the tiers of http/limits/tiers.ts. */
  readonly limits?: Readonly<Record<Tier, RateLimit>>;
}

export function createRateLimits({
  database,
  trustedProxies,
  countUsage,
  baseUrl,
  onFault,
  onFirstRefusal,
  limits = tiers,
}: RateLimitDeps): RateLimits {
  const clientAddress = createClientAddress(trustedProxies);
  const exact = (limit: RateLimit) => createRateLimiter(database, limit, onFault);
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
    anonymousTokens: exact(anonymousTokensLimit),
    console: leased(consoleLimit),
    failures: createBruteForceGuard({ limiter: exact(failureLimit), clientAddress, onFirstRefusal }),
    wrongKeys: createBruteForceGuard({ limiter: exact(wrongKeyLimit), clientAddress }),
    clientAddress,
    countUsage,
    limitsPage: (appId) => `${baseUrl}/console/apps/${appId}/limits`,
    permissionsPage: ({ id }) => `${baseUrl}/console/apps/${id}/permissions`,
  };
}
