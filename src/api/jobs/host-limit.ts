/**
 * How many concurrent requests one host gets, by how it answers: additive increase, multiplicative decrease, like TCP's
 * congestion control (RFC 5681). Pure: the caller passes the time, in milliseconds of a monotonic clock.
 */

import { createHostPace } from "./host-pace.ts";

/** `refused`: 429. `unavailable`: 503. `failed`: any other fault of the host, such as a 500 or no answer. */
export type HostSignal = "answered" | "refused" | "unavailable" | "failed";

export interface HostSample {
  readonly signal: HostSignal;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Concurrent requests when this one ended, itself included. */
  readonly inFlight: number;
}

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

export interface HostLimit {
  /** Concurrent requests, within the bounds. */
  readonly max: number;
  /** Milliseconds until the next request may start, after refusals; 0 means now. */
  waitMs(now: number): number;
  /** To be called when a request starts. */
  started(now: number): void;
  /** To be called when a request ends. */
  ended(sample: HostSample): void;
  /** Good answers among about the last hundred; 0 unless one came within the last two seconds. */
  answeredLately(now: number): number;
  /** How many requests could start within so many milliseconds, beyond the current ones. */
  startsWithin(ms: number, now: number): number;
}

// A few faults among many answers are no reason to slow down: the limit falls above this share of about the last hundred.
const MANY = { refused: 0, unavailable: 0.12, failed: 0.2 };
const MEMORY = 0.99;
// A few 503s among the first answers set no pace, since it would take long to lift.
const TAKEN_FOR_GOOD = 20;
// A refusal may be instant, and says nothing about how long an answer takes.
const ANSWER_MS_MIN = 10;
// Growing latency: more than twice the host's best, plus what a busy process of ours adds to any answer.
const SLOWER = 2;
const NOISE_MS = 50;
// The best time grows by this factor per round at the lower bound, where a host isn't slow because of us.
const FORGOTTEN = 1.05;
const LATELY_MS = 2_000;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const newRound = () => ({ answers: 0, isFull: false, isClean: true, latenciesMs: [] as number[] });

/** Starts at the lower bound. `bounds` is read each time, since replicas come and go. */
export function createHostLimit(bounds: () => Bounds): HostLimit {
  const pace = createHostPace();
  let limit = bounds().min;
  let fellAt = Number.NEGATIVE_INFINITY;
  let lastGoodAt = Number.NEGATIVE_INFINITY;
  let faults = 0;
  let answers = 0;
  let latencyMs = 0;
  let bestMs = Number.POSITIVE_INFINITY;
  // As many answers as the limit allows at once, which takes about the time of one.
  let round = newRound();

  const within = (value: number): number => Math.min(Math.max(value, bounds().min), bounds().max);

  function fall(now: number): void {
    limit = within(Math.floor(within(limit) / 2));
    fellAt = now;
    round = newRound();
  }

  function endRound(now: number): void {
    const { latenciesMs, isFull, isClean } = round;
    round = newRound();
    if (latenciesMs.length === 0) return;
    latencyMs = median(latenciesMs);
    bestMs = Math.min(within(limit) > bounds().min ? bestMs : bestMs * FORGOTTEN, latencyMs);
    if (latencyMs > SLOWER * bestMs + NOISE_MS) fall(now);
    else if (isFull && isClean) limit = within(within(limit) + 1);
  }

  return {
    get max() {
      return within(limit);
    },

    waitMs: pace.waitMs,
    started: pace.started,

    ended({ signal, startedAt, endedAt: now, inFlight }) {
      const isGood = signal === "answered";
      // Requests that had started before the last fall say nothing about its effect.
      const isNew = startedAt >= fellAt;
      faults = faults * MEMORY + (isGood ? 0 : 1);
      answers = answers * MEMORY + 1;
      round.answers++;
      round.isFull ||= inFlight >= within(limit);
      round.isClean &&= isGood;
      if (signal === "answered") {
        lastGoodAt = now;
        pace.answered(now);
        if (isNew) round.latenciesMs.push(now - startedAt);
      } else if (faults / answers > MANY[signal]) {
        const soFar = (inFlight * 1_000) / Math.max(now - startedAt, latencyMs, ANSWER_MS_MIN);
        const isLoad = signal === "unavailable" && faults / (answers + TAKEN_FOR_GOOD) > MANY[signal];
        if (isLoad || signal === "refused") pace.refused(startedAt, now, soFar);
        if (isNew) fall(now);
      }
      if (round.answers >= within(limit)) endRound(now);
    },

    answeredLately: (now) => (now - lastGoodAt < LATELY_MS ? Math.max(answers - faults, 1) : 0),

    startsWithin(ms, now) {
      const freed = latencyMs === 0 ? within(limit) : (within(limit) * ms) / latencyMs;
      return Math.ceil(Math.min(freed, (pace.perSecond(now) * ms) / 1_000));
    },
  };
}
