/** Limits how often a client may fail to authenticate, by operator token, sign-in or API key. */

import type { Context } from "hono";
import { answerLimit } from "../../http/limits/rate-limit.ts";
import type { ExactLimiter } from "../../http/limits/rate-limiter.ts";

export interface BruteForceGuard {
  /**
   * Runs an attempt. The attempt is counted before it starts, so that concurrent attempts can't exceed the limit, and
   * uncounted when it succeeds. Throws RATE_LIMITED without starting the attempt once the client has failed too often.
   */
  attempt<Proved>(c: Context, prove: () => Promise<Proved>): Promise<Proved>;
  /**
   * Counts a failure that is already known. Throws RATE_LIMITED if it exceeds the limit; otherwise the caller reports
   * the failure.
   */
  failed(c: Context): Promise<void>;
}

export interface BruteForceGuardDeps {
  readonly limiter: ExactLimiter;
  readonly clientAddress: (c: Context) => string;
  /** Called once per client and window, at the first attempt over the limit. */
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
