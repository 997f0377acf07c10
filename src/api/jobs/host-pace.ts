/**
 * Starts per second for a host that refuses: for a host that allows a few requests a second, even a few at once are too
 * many. Pure: the caller passes the time, in milliseconds of a monotonic clock.
 */

// A refusal so soon after a fall shows that the pace was far too high.
const AGAIN_MS = 1_000;
// The next pace, as a share of the refused one: normally, and after a refusal soon after another.
const AFTER = 0.8;
const AFTER_AGAIN = 0.25;
// The pace is lifted once it is so many times the refused one.
const LIFTED = 3;
const SLOWEST = 1;
// Starts that a busy event loop delayed are made up for within this time.
const MADE_UP_MS = 20;

export interface HostPace {
  /** Starts per second; `Infinity` before the first refusal. */
  perSecond(now: number): number;
  /** Milliseconds until the next request may start; 0 means now. */
  waitMs(now: number): number;
  /** To be called when a request starts. */
  started(now: number): void;
  /** To be called for each good answer. */
  answered(now: number): void;
  /** To be called for each refusal. `startedAt`: of the refused request. `soFar`: starts per second, if there is no pace yet. */
  refused(startedAt: number, now: number, soFar: number): void;
}

/** The rise after so many seconds, as a share of the refused pace: slow at first and then ever faster, like CUBIC (RFC 9438). */
const rise = (seconds: number): number => seconds / 20 + (seconds / 10) ** 3;

/** Falls with each refusal, but not below 80 % of what the host has just answered, and rises until the next one. */
export function createHostPace(): HostPace {
  const good = createRate();
  let base = Number.POSITIVE_INFINITY;
  let refusedAt = Number.POSITIVE_INFINITY;
  let fellAt = Number.NEGATIVE_INFINITY;
  let credit = 0;
  let creditAt = 0;

  function perSecond(now: number): number {
    if (!Number.isFinite(base)) return base;
    const pace = base + refusedAt * rise(Math.max(now - fellAt, 0) / 1_000);
    if (pace > refusedAt * LIFTED) base = Number.POSITIVE_INFINITY;
    return Number.isFinite(base) ? pace : base;
  }

  /** Adds the starts earned until now; the next one has to wait while there is less than 1. */
  function earn(now: number): void {
    const pace = perSecond(now);
    const most = Math.max(1, (pace * MADE_UP_MS) / 1_000);
    credit = Number.isFinite(pace) ? Math.min(credit + ((now - creditAt) * pace) / 1_000, most) : 1;
    creditAt = now;
  }

  return {
    perSecond,

    waitMs(now) {
      earn(now);
      return credit >= 1 ? 0 : ((1 - credit) / perSecond(now)) * 1_000;
    },

    started(now) {
      earn(now);
      credit--;
    },

    answered: (now) => good.add(now),

    refused(startedAt, now, soFar) {
      // Requests that had started before the last fall say nothing about its effect.
      if (startedAt < fellAt) return;
      const pace = perSecond(now);
      refusedAt = Math.max(Number.isFinite(pace) ? pace : soFar, SLOWEST);
      const fallen = refusedAt * (now - fellAt < AGAIN_MS ? AFTER_AGAIN : AFTER);
      base = Math.min(refusedAt, Math.max(fallen, good.perSecond(now) * AFTER, SLOWEST));
      fellAt = now;
      credit = 0;
      creditAt = now;
    },
  };
}

/** A sliding window of one second: the current second's count, and the remaining share of the previous one's. */
function createRate() {
  let from = Number.NEGATIVE_INFINITY;
  let before = 0;
  let count = 0;
  const advance = (now: number): void => {
    if (now - from < 1_000) return;
    const isNext = now - from < 2_000;
    before = isNext ? count : 0;
    from = isNext ? from + 1_000 : now;
    count = 0;
  };
  return {
    add(now: number): void {
      advance(now);
      count++;
    },
    perSecond(now: number): number {
      advance(now);
      return count + before * (1 - (now - from) / 1_000);
    },
  };
}
