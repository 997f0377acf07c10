/** Which trackers still hold a lock, for monitoring (spec.md "Events"): never part of the decision. */

import type { LockEntry } from "./store.ts";

/** Trackers with a lock and no unlock of theirs after it, in the order of their locks. */
export function lockHolders(entries: readonly LockEntry[]): string[] {
  const holders: string[] = [];
  for (const { direction, approvedContract } of entries) {
    const held = holders.indexOf(approvedContract);
    if (direction === "lock" && held < 0) holders.push(approvedContract);
    if (direction === "unlock" && held >= 0) holders.splice(held, 1);
  }
  return holders;
}
