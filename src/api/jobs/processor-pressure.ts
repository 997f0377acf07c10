/** Whether threads of the machine wait for a processor. */

import { readFileSync } from "node:fs";

// Pressure stall information of Linux, docs.kernel.org/accounting/psi.html: "total" counts microseconds in which some
// thread of the machine waited for a processor.
const PRESSURE_FILE = "/proc/pressure/cpu";
const EVERY_MS = 50;
const TOO_OLD_MS = 500;
const WAITING_SHARE = 0.05;

/**
 * Says at a moment of `performance.now()` whether some thread waited for more than a twentieth of the time since it was
 * last asked, 50 to 500 ms before; false when asked sooner or later than that, and where the system doesn't count it.
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
