/** Whether threads of the machine, or this one, wait for a processor. */

import { openSync, readFileSync, readSync } from "node:fs";

// Pressure stall information of Linux, docs.kernel.org/accounting/psi.html: "total" counts microseconds in which some
// thread of the machine waited for a processor.
const PRESSURE_FILE = "/proc/pressure/cpu";
// An idle machine has bursts of 50 ms every second or two.
const EVERY_MS = 250;
const TOO_OLD_MS = 1_000;
const WAITING_SHARE = 0.25;

/**
 * Says at a moment of `performance.now()` whether some thread waited for more than a quarter of the time since it last
 * counted, 250 to 1,000 ms before; false when asked sooner or later than that, and where the system doesn't count it.
 */
export function createProcessorPressure(file = PRESSURE_FILE): (now: number) => boolean {
  let before: { readonly at: number; readonly waitedMs: number } | undefined;
  let isCounted = true;
  return (now) => {
    const elapsed = now - (before?.at ?? Number.NEGATIVE_INFINITY);
    if (!isCounted || elapsed < EVERY_MS) return false;
    const waitedMs = waitedSoFar(file);
    isCounted = waitedMs !== undefined;
    if (waitedMs === undefined) return false;
    const waited = waitedMs - (before?.waitedMs ?? waitedMs);
    before = { at: now, waitedMs };
    return elapsed <= TOO_OLD_MS && waited > WAITING_SHARE * elapsed;
  };
}

function waitedSoFar(file: string): number | undefined {
  try {
    const [, total] = /^some .*\btotal=(\d+)/m.exec(readFileSync(file, "latin1")) ?? [];
    return total === undefined ? undefined : Number(total) / 1000;
  } catch {
    return undefined;
  }
}

// docs.kernel.org/scheduler/sched-stats.html: the second number counts nanoseconds on a run queue.
const OWN_WAITS_FILE = "/proc/thread-self/schedstat";
const OWN_WAITS_BYTES = 64;

/**
 * Says how many milliseconds this thread, which must be the caller's each time, has waited for a processor so far; not
 * what it waited for anything else. 0 where the system doesn't count it. A call takes a few microseconds.
 */
export function createOwnWaits(file = OWN_WAITS_FILE): () => number {
  const text = Buffer.alloc(OWN_WAITS_BYTES);
  // Stays open as long as its thread.
  const descriptor = openIfThere(file);
  return () => {
    if (descriptor === undefined) return 0;
    const [, waited = "0"] = readStart(descriptor, text).trim().split(" ");
    return Number(waited) / 1_000_000;
  };
}

/** Empty where a sandbox allows to open the file, and not to read it. */
function readStart(descriptor: number, into: Buffer): string {
  try {
    return into.toString("latin1", 0, readSync(descriptor, into, 0, into.length, 0));
  } catch {
    return "";
  }
}

function openIfThere(file: string): number | undefined {
  try {
    return openSync(file, "r");
  } catch {
    return undefined;
  }
}
