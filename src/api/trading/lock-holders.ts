/** The trackers that still hold a lock, for monitoring (spec.md "Events"); never part of a trade decision. */

import { findLockStandard } from "../../domain/lock-standards.ts";
import type { LockEntry } from "./store.ts";

/**
 * In lock order: for counted locks, trackers with more locks than unlocks; for switches, the tracker of the last event.
 * `isBoolean`: ERC-721x events are not counted either.
 */
export function lockHolders(entries: readonly LockEntry[], isBoolean = false): string[] {
  let open: LockEntry[] = [];
  for (const entry of entries) {
    const { standard, direction, approvedContract } = entry;
    const isCounted = findLockStandard(standard).keeps === "count" && !isBoolean;
    if (!isCounted) open = open.filter((each) => each.standard !== standard);
    if (direction === "lock") open.push(entry);
    else if (isCounted) {
      const at = open.findIndex(
        (each) => each.standard === standard && each.approvedContract === approvedContract,
      );
      if (at >= 0) open.splice(at, 1);
    }
  }
  return [...new Set(open.flatMap(({ approvedContract }) => approvedContract ?? []))];
}
