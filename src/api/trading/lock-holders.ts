/** Which trackers still hold a lock, for monitoring (spec.md "Events"): never part of the decision. */

import type { LockEntry } from "./store.ts";

/** Trackers with more locks than unlocks of their own, in the order of their locks. */
export function lockHolders(entries: readonly LockEntry[]): string[] {
  const open: string[] = [];
  for (const { direction, approvedContract } of entries) {
    const held = open.indexOf(approvedContract);
    if (direction === "lock") open.push(approvedContract);
    else if (held >= 0) open.splice(held, 1);
  }
  return [...new Set(open)];
}
