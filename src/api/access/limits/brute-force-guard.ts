/** Bounds how often a client may fail to prove who it is: operator tokens, sign-ins, API keys. */

import type { Context } from "hono";
import { ApiError } from "../../http/errors.ts";
import { answerLimit, type RateLimit } from "../../http/limits/rate-limit.ts";
import { type Points, resetSeconds } from "../../http/limits/rate-limiter.ts";

export interface BruteForceGuard {
  /**
   * Runs an attempt. Its point is taken before it starts, so that many at once are no more than the limit, and given back
   * when it succeeds. Throws RATE_LIMITED, with the attempt not started, once the client has failed too often.
   */
  attempt<Proved>(c: Context, prove: () => Promise<Proved>): Promise<Proved>;
  /** Counts a failure that is known already. Throws RATE_LIMITED where it was one too many; otherwise the caller says what failed. */
  failed(c: Context): Promise<void>;
}

export interface BruteForceGuardDeps {
  readonly points: Points;
  readonly limit: RateLimit;
  readonly clientAddress: (c: Context) => string;
  /** Told once per client and window, at the first attempt over the limit. */
  readonly onFirstRefusal?: ((client: string) => Promise<void>) | undefined;
}

export function createBruteForceGuard(deps: BruteForceGuardDeps): BruteForceGuard {
  const { points, limit, clientAddress, onFirstRefusal } = deps;

  async function takePoint(c: Context): Promise<string> {
    const client = clientAddress(c);
    const { granted, count, msBeforeNext } = await points.take(client, 1);
    if (granted === 1) return client;
    if (count === limit.requests + 1) await onFirstRefusal?.(client);
    const taken = { isAllowed: false, remaining: 0, resetSeconds: resetSeconds(msBeforeNext) };
    answerLimit(c, limit, taken, "client address");
    throw new ApiError("RATE_LIMITED");
  }

  return {
    async attempt(c, prove) {
      const client = await takePoint(c);
      const proved = await prove();
      await points.release(client);
      return proved;
    },

    async failed(c) {
      await takePoint(c);
    },
  };
}
