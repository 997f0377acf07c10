/**
 * A limiter for busy routes, where one statement per request (rate-limiter.ts) would cost more than the request. Each
 * process leases points and spends them from memory. All processes together never exceed the limit. Points that a
 * process leased and did not spend are lost at the end of the window: at most a twentieth of the limit.
 */

import { LRUCache } from "lru-cache";
import type { RateLimit, RateLimiter } from "./rate-limit.ts";
import { type Points, resetSeconds } from "./rate-limiter.ts";

/** How much traffic one lease covers: a process leases about four times a second, however busy it is. */
const LEASE_SECONDS = 0.25;
// Near the end of the limit leases shrink to single requests, so the limit is exact.
const SHARE_OF_REMAINING = 1 / 20;
const KEYS_MAX = 20_000;

interface Window {
  /** Leased points that were not spent yet. */
  left: number;
  /** What was left of the limit, for all processes, at this process's last lease. */
  remaining: number;
  endsAt: number;
  /** True when the limit is used up, until `endsAt`. */
  isSpent: boolean;
  leased: number;
  leasedAt: number;
  /** Requests waiting for the next lease. */
  waiting: number;
  leasing: Promise<void> | undefined;
}

export function createLeasedRateLimiter(
  points: Points,
  limit: RateLimit,
  now: () => number = () => performance.now(),
): RateLimiter {
  // An evicted window loses its unspent points, so nobody gets too many.
  // By size: with `max`, lru-cache reserves the memory of all entries at once.
  const windows = new LRUCache<string, Window>({ maxSize: KEYS_MAX, sizeCalculation: () => 1 });

  function windowOf(key: string): Window {
    let window = windows.get(key);
    if (!window) {
      window = {
        left: 0,
        remaining: limit.requests,
        endsAt: 0,
        isSpent: false,
        leased: 0,
        leasedAt: 0,
        waiting: 0,
        leasing: undefined,
      };
      windows.set(key, window);
    }
    if (now() >= window.endsAt) Object.assign(window, { left: 0, remaining: limit.requests, isSpent: false });
    return window;
  }

  function leaseSize({ waiting, leased, leasedAt, remaining }: Window): number {
    const perSecond = (leased * 1000) / Math.max(1, now() - leasedAt);
    const expected = Math.min(perSecond * LEASE_SECONDS, 2 * leased, remaining * SHARE_OF_REMAINING);
    return Math.max(waiting, Math.floor(expected), 1);
  }

  async function lease(key: string, window: Window): Promise<void> {
    const size = leaseSize(window);
    const { granted, remaining, msBeforeNext } = await points.take(key, size);
    Object.assign(window, {
      left: granted,
      remaining,
      isSpent: granted < size,
      endsAt: now() + msBeforeNext,
      leased: size,
      leasedAt: now(),
    });
  }

  const answer = (window: Window, isAllowed: boolean) => ({
    isAllowed,
    remaining: isAllowed ? window.left + window.remaining : 0,
    resetSeconds: resetSeconds(window.endsAt - now()),
  });

  async function takeLeased(key: string, window: Window) {
    window.waiting++;
    try {
      while (window.left === 0 && !window.isSpent) {
        // One lease serves all waiting requests, and its owner clears it even if it fails.
        window.leasing ??= lease(key, window).finally(() => {
          window.leasing = undefined;
        });
        await window.leasing;
      }
    } finally {
      window.waiting--;
    }
    if (window.left === 0) return answer(window, false);
    window.left--;
    return answer(window, true);
  }

  return {
    limit,
    take(key) {
      const window = windowOf(key);
      if (window.left > 0) {
        window.left--;
        return answer(window, true);
      }
      return window.isSpent ? answer(window, false) : takeLeased(key, window);
    },
  };
}
