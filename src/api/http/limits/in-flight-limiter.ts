/** Counts the requests in progress in this process, by key. */

import { type InFlightLimit, rateLimited, type Taken } from "./rate-limit.ts";

export interface InFlightLimiter {
  readonly limit: InFlightLimit;
  /** Takes a slot; `release` of the result frees it. */
  take(key: string): Taken;
}

export function createInFlightLimiter(limit: InFlightLimit): InFlightLimiter {
  const running = new Map<string, number>();
  function release(key: string): void {
    const left = (running.get(key) ?? 1) - 1;
    if (left === 0) running.delete(key);
    else running.set(key, left);
  }
  return {
    limit,
    take(key) {
      const others = running.get(key) ?? 0;
      const remaining = Math.max(0, limit.requests - others - 1);
      const resetSeconds = limit.retrySeconds;
      if (others >= limit.requests) return { isAllowed: false, remaining, resetSeconds };
      running.set(key, others + 1);
      return { isAllowed: true, remaining, resetSeconds, release: () => release(key) };
    },
  };
}

/** Does work that any request may lead to within a limit of the process; throws RATE_LIMITED for work over it. */
export function createProcessLimit(limit: InFlightLimit) {
  const limiter = createInFlightLimiter(limit);
  return async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const taken = limiter.take("");
    if (!taken.isAllowed) throw rateLimited(limit, "process", taken.resetSeconds);
    try {
      return await work();
    } finally {
      taken.release?.();
    }
  };
}

/**
 * Limits work of each app, and of all of them in this process, that may go on after its request is answered. Throws
 * RATE_LIMITED for work over either limit. The result must be called once, when the work is over.
 */
export function createAppLimit(
  perApp: InFlightLimit,
  ofProcess: InFlightLimit,
): (appId: string) => () => void {
  const byApp = createInFlightLimiter(perApp);
  const inProcess = createInFlightLimiter(ofProcess);
  return (appId) => {
    const shared = inProcess.take("");
    if (!shared.isAllowed) throw rateLimited(ofProcess, "process", shared.resetSeconds);
    const own = byApp.take(appId);
    if (!own.isAllowed) {
      shared.release?.();
      throw rateLimited(perApp, "app", own.resetSeconds);
    }
    return () => {
      own.release?.();
      shared.release?.();
    };
  };
}
