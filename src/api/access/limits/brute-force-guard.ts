/** Limits how often a client may fail to authenticate, by operator token, sign-in or API key. */

import type { Context } from "hono";
import { ApiError } from "../../http/errors.ts";
import { answerLimit } from "../../http/limits/rate-limit.ts";
import type { ExactLimiter } from "../../http/limits/rate-limiter.ts";

export interface BruteForceGuard {
  /**
   * Runs an attempt, and counts it if `prove` refuses it with 401 or 403: the right one is accepted however often others
   * at the same address were wrong. Before a costly check, `prove` awaits `beforeCost`, which counts the attempt until it
   * turns out right, and throws RATE_LIMITED once the client has failed too often. A refusal beyond the limit is
   * RATE_LIMITED in any case. What the service couldn't check is not counted.
   */
  attempt<Proved>(c: Context, prove: (beforeCost: () => Promise<void>) => Promise<Proved>): Promise<Proved>;
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

const isRefusal = (error: unknown): boolean =>
  error instanceof ApiError && (error.status === 401 || error.status === 403);

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
      let isCounted = false;
      const count = async (): Promise<void> => {
        if (isCounted) return;
        await failed(c);
        isCounted = true;
      };
      const uncount = async (): Promise<void> => {
        if (isCounted) await limiter.release(clientAddress(c));
      };
      try {
        const proved = await prove(count);
        await uncount();
        return proved;
      } catch (error) {
        if (isRefusal(error)) await count();
        else await uncount();
        throw error;
      }
    },
  };
}
