/** The one bound on guesses: how often a client may fail to prove who it is, by operator token, sign-in or API key. */

import type { Context } from "hono";
import { answerLimit } from "../../http/limits/rate-limit.ts";
import type { ExactLimiter } from "../../http/limits/rate-limiter.ts";

export interface BruteForceGuard {
  /**
   * Runs an attempt. It is counted before it starts, so that many at once are no more than the limit, and not counted
   * when it succeeds. Throws RATE_LIMITED, with the attempt not started, once the client has failed too often.
   */
  attempt<Proved>(c: Context, prove: () => Promise<Proved>): Promise<Proved>;
  /** Counts a known failure. Throws RATE_LIMITED where it was one too many; otherwise the caller says what failed. */
  failed(c: Context): Promise<void>;
}

export interface BruteForceGuardDeps {
  readonly limiter: ExactLimiter;
  readonly clientAddress: (c: Context) => string;
  /** Told once per client and window, at the first attempt over the limit. */
  readonly onFirstRefusal?: ((client: string) => Promise<void>) | undefined;
}

export function createBruteForceGuard(deps: BruteForceGuardDeps): BruteForceGuard {
  const { limiter, clientAddress, onFirstRefusal } = deps;

  async function failed(c: Context): Promise<void> {
    const client = clientAddress(c);
    const taken = await limiter.take(client);
    if (taken.isFirstRefusal) await onFirstRefusal?.(client);
    if (!taken.isAllowed) answerLimit(c, { limit: limiter.limit, per: "client" }, taken);
  }

  return {
    failed,
    async attempt(c, prove) {
      await failed(c);
      const proved = await prove();
      await limiter.release(clientAddress(c));
      return proved;
    },
  };
}
