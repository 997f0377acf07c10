/**
 * How much of one host is asked at once, by how it answers: additive increase, multiplicative decrease, as TCP controls
 * congestion (RFC 5681). Pure: the caller passes the time, in milliseconds of a monotonic clock.
 */

import { createHostPace } from "./host-pace.ts";

/** `refused`: 429. `unavailable`: 503. `failed`: any other fault of the host, such as a 500 or no answer. */
export type HostSignal = "answered" | "refused" | "unavailable" | "failed";

export interface HostSample {
  readonly signal: HostSignal;
  readonly startedAt: number;
  readonly endedAt: number;
  /** Requests under way when this one ended, itself included. */
  readonly inFlight: number;
}

export interface Bounds {
  readonly min: number;
  readonly max: number;
}

export interface HostLimit {
  /** Requests at once, within the bounds. */
  readonly max: number;
  /** Milliseconds until the next request may start, where the host has refused; 0 for now. */
  waitMs(now: number): number;
  /** To be told of each request that starts. */
  started(now: number): void;
  /** To be told how each request ended. */
  ended(sample: HostSample): void;
  /** Good answers among about the last hundred; 0 unless one came within the last two seconds. */
  answeredLately(now: number): number;
  /** How many requests could start within so many milliseconds, besides those under way. */
  startsWithin(ms: number, now: number): number;
}

// A few faults among many answers are no reason to ask less: above this share of the last hundred answers or so.
const MANY = { refused: 0, unavailable: 0.12, failed: 0.2 };
const MEMORY = 0.99;
// A pace is not set for a few faults among the first answers: it would take long to be lifted.
const TAKEN_FOR_GOOD = 20;
// A refusal may come at once, and says nothing of how long an answer takes.
const ANSWER_MS_MIN = 10;
// Twice the host's own time, and what a busy process of ours adds to any answer.
const SLOWER = 2;
const NOISE_MS = 50;
// So much of the best time is forgotten a round at the lower bound, where a slower host is not slow by our doing.
const FORGOTTEN = 1.05;
const LATELY_MS = 2_000;

const median = (values: readonly number[]): number =>
  [...values].sort((a, b) => a - b)[values.length >> 1] ?? 0;
const newRound = () => ({ answers: 0, isFull: false, isClean: true, latenciesMs: [] as number[] });

/** Starts at the lower bound. `bounds` is read again each time, since replicas come and go. */
export function createHostLimit(bounds: () => Bounds): HostLimit {
  const pace = createHostPace();
  let limit = bounds().min;
  let fellAt = Number.NEGATIVE_INFINITY;
  let lastGoodAt = Number.NEGATIVE_INFINITY;
  let faults = 0;
  let answers = 0;
  let latencyMs = 0;
  let bestMs = Number.POSITIVE_INFINITY;
  // As many answers as may be under way: about the time of one answer.
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
      // Those under way at the last fall say nothing of what it changed.
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
