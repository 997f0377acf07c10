/**
 * So many starts a second at one host that refuses though little is under way. Pure: the caller passes the time, in
 * milliseconds of a monotonic clock.
 */

// Refusals this soon after the pace fell show that it was far too high.
const AGAIN_MS = 1_000;
// Of the pace that was refused: what follows, and what follows a refusal soon after.
const AFTER = 0.8;
const AFTER_AGAIN = 0.25;
// The pace is lifted once it is so many times as high as the one that was refused.
const LIFTED = 3;
const SLOWEST = 1;
// Starts that were held up, as by a busy event loop, are made up for within this time.
const MADE_UP_MS = 20;

export interface HostPace {
  /** Starts a second; `Infinity` before the first refusal. */
  perSecond(now: number): number;
  /** Milliseconds until the next request may start; 0 for now. */
  waitMs(now: number): number;
  /** To be told of each request that starts. */
  started(now: number): void;
  /** To be told of each good answer. */
  answered(now: number): void;
  /** To be told of each refusal, of a request begun at `startedAt`. `soFar`: starts a second where there is no pace yet. */
  refused(startedAt: number, now: number, soFar: number): void;
}

/** What so many seconds add, of the pace that was refused: little around that pace, and more beyond it, as in CUBIC (RFC 9438). */
const rise = (seconds: number): number => seconds / 20 + (seconds / 10) ** 3;

/** Falls with each refusal, but not below what the host has just borne, and rises until the next one. */
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

  /** The starts that have been earned until now, below 1 where the next one has to wait. */
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
      // Those under way at the last fall say nothing of what it changed.
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

/** Counts what came within the last second: of the second before the current one, as much as is left of it. */
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
