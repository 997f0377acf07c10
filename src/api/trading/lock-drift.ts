/** Where the index and a contract disagree on a token's locks, and the likely cause. */

import { isLocked } from "../../domain/lock-count.ts";
import type { LockRead, LocksOnChain } from "./lock-reader.ts";
import type { LockOddities } from "./reconcile-store.ts";

/** The closed set of causes; the first that fits is given. */
export const driftCauses = ["start_block", "repeated_locks", "surplus_unlocks", "unknown"] as const;
export type DriftCause = (typeof driftCauses)[number];

/** A contract that tells no count is compared by whether the token is locked. */
export const isDrift = (indexed: number, { lockCount, locked }: LocksOnChain): boolean =>
  lockCount === null ? isLocked(indexed) !== locked : BigInt(indexed) !== lockCount;

/** True where a lock that the contract holds is missing in the index; false where the index holds one too many. */
export const isMissingLocks = (indexed: number, { lockCount, locked }: LocksOnChain): boolean =>
  lockCount === null ? locked : BigInt(indexed) < lockCount;

export interface DriftFacts {
  readonly indexed: number;
  readonly onChain: LocksOnChain;
  /** The block that the chain's index starts with. */
  readonly firstBlock: number;
  /** What the contract said of the token in the block before; undefined where it was not asked. */
  readonly before: LockRead | undefined;
  readonly oddities: LockOddities | undefined;
}

/**
 * A start block that is too late is proved, not guessed: the contract held a lock before the index began. A contract
 * that already existed then, and whose token was free, has nothing of this drift from before.
 */
export function explainDrift({ indexed, onChain, firstBlock, before, oddities }: DriftFacts): {
  readonly cause: DriftCause;
  readonly explanation: string;
} {
  const isMissing = isMissingLocks(indexed, onChain);
  if (isMissing && before?.kind === "read" && before.locked) {
    return {
      cause: "start_block",
      explanation: `The contract existed and held a lock of the token in block ${firstBlock - 1}, but the index starts with block ${firstBlock}; set the collection's startBlock to the block of its deployment.`,
    };
  }
  if (!isMissing && oddities?.repeatedBy) {
    return {
      cause: "repeated_locks",
      explanation: `${oddities.repeatedBy} locked the token again with no unlock between; the index counts each TokenLocked, and the contract does not.`,
    };
  }
  const unjudged =
    before?.kind === "unavailable"
      ? ` The node did not answer for block ${firstBlock - 1}, perhaps because it keeps no state that old, so whether the start block ${firstBlock} is too late can't be told.`
      : "";
  if (oddities && oddities.surplusUnlocks > 0) {
    return {
      cause: "surplus_unlocks",
      explanation: `TokenUnlocked came ${times(oddities.surplusUnlocks)} when the index held no lock, last in block ${oddities.lastSurplusBlock}; such an unlock changes nothing in the index.${unjudged}`,
    };
  }
  const guess = isMissing
    ? "The contract may lock without TokenLocked events, or with events in another layout."
    : "The contract may emit TokenLocked without locking, or unlock without TokenUnlocked events.";
  return { cause: "unknown", explanation: `${guess}${unjudged}` };
}

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
