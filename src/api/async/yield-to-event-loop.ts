/** Splits long work into slices, so that the event loop serves other requests in between. */

import { setTimeout as wait } from "node:timers/promises";
import { createOwnWaits, createProcessorPressure } from "./processor-pressure.ts";

// Half of what a request may wait for it, since the last step of a slice may take long.
const SLICE_MS = 10;

/** Must be awaited between steps of a few milliseconds: yields to other work at the end of each slice. */
export type YieldToEventLoop = () => Promise<void>;

export function createYield(sliceMs = SLICE_MS): YieldToEventLoop {
  let startedAt = performance.now();
  return async () => {
    if (performance.now() - startedAt < sliceMs) return;
    await new Promise((resolve) => setImmediate(resolve));
    startedAt = performance.now();
  };
}

// A slice for which its thread waited longer than this share of its length, and half a millisecond, waited for others.
const WAITED_SHARE = 0.25;
const WAITED_MS = 0.5;
// One such slice means little, since threads that collect garbage, say, run for a moment. Others that go on make one that
// begins soon after wait as well.
const SUSPECTED_MS = 20;
const CONTENDED_MS = 100;
// Longer than the interval between two counts of the machine's threads.
const UNDER_PRESSURE_MS = 500;
// While there is contention, each slice is followed by a pause of this many times its own length.
const PAUSE = 12;
// Of all pauses of one piece of work: somebody waits for it.
const PAUSES_MAX_MS = 1_000;

export interface PoliteYieldOptions {
  /** The most that one piece of work pauses, in all; a second by default. */
  readonly pausesMaxMs?: number;
  readonly isContended?: (now: number) => boolean;
  /** Milliseconds that this thread has waited for a processor so far. */
  readonly waits?: () => number;
  readonly sleep?: (ms: number) => Promise<void>;
}

let suspectedUntil = 0;
let contendedUntil = 0;

const othersWait = createProcessorPressure();
let ownWaits: (() => number) | undefined;

/** Milliseconds of this thread; undefined before Node 23.9. */
function threadCpuMs(): number | undefined {
  const { threadCpuUsage } = process as NodeJS.Process & { threadCpuUsage?: () => NodeJS.CpuUsage };
  if (!threadCpuUsage) return undefined;
  const { user, system } = threadCpuUsage.call(process);
  return (user + system) / 1000;
}

/**
 * Like `createYield`, for work that the machine's other work comes before: while threads wait for a processor, it uses a
 * thirteenth of one, until it has paused for `pausesMaxMs` in all. On systems other than Linux it can't tell, and
 * never pauses.
 */
export function createPoliteYield(sliceMs: number, options: PoliteYieldOptions = {}): YieldToEventLoop {
  ownWaits ??= createOwnWaits();
  const { pausesMaxMs = PAUSES_MAX_MS, isContended = othersWait, waits = ownWaits, sleep = wait } = options;
  const toEventLoop = createYield(0);
  let startedAt = performance.now();
  let usedAt = threadCpuMs();
  let waitedAt = waits();
  let pausesLeft = pausesMaxMs;
  return async () => {
    const now = performance.now();
    if (now - startedAt < sliceMs) return;
    const used = usedAt === undefined ? now - startedAt : (threadCpuMs() ?? 0) - usedAt;
    const hasWaited = waits() - waitedAt > WAITED_SHARE * used + WAITED_MS;
    if (hasWaited && startedAt < suspectedUntil)
      contendedUntil = Math.max(contendedUntil, now + CONTENDED_MS);
    if (isContended(now)) contendedUntil = now + UNDER_PRESSURE_MS;
    const pause = now < contendedUntil ? Math.min(PAUSE * used, pausesLeft) : 0;
    pausesLeft -= pause;
    if (pause > 0) await sleep(pause);
    else await toEventLoop();
    startedAt = performance.now();
    usedAt = threadCpuMs();
    waitedAt = waits();
    // From here: what comes before it may have waited long for its turn.
    if (hasWaited) suspectedUntil = startedAt + SUSPECTED_MS;
  };
}

/**
 * Runs such work one at a time, each beginning in its own turn of the event loop, so that other work runs in between.
 */
export type Exclusively = <Result>(work: () => Result | Promise<Result>) => Promise<Result>;

export function createExclusively(): Exclusively {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const mine = last.then(() => new Promise((resolve) => setImmediate(resolve))).then(work);
    last = mine.catch(() => undefined);
    return mine;
  };
}

/** For work in one piece. */
export const runExclusive = createExclusively();

/** Long work that yields between its steps, of a millisecond at most, and returns its result. */
export type Steps<Result> = Generator<void, Result, void>;

/** Does all steps at once. */
export function runSteps<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
  }
}

/** Yields to the event loop between steps. Undefined if the work has become pointless meanwhile. */
export async function runStepsInSlices<Result>(
  steps: Steps<Result>,
  yieldToEventLoop: YieldToEventLoop,
  isNeeded: () => boolean,
): Promise<Result | undefined> {
  for (;;) {
    const step = steps.next();
    if (step.done) return step.value;
    await yieldToEventLoop();
    if (!isNeeded()) return undefined;
  }
}
