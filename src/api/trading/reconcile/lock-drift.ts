/** Where the index and a contract disagree on a token's locks of one standard, and the likely cause. */

import { isLocked } from "../../../domain/lock-count.ts";
import { findLockStandard, type LockStandardName } from "../../../domain/lock-standards.ts";
import type { LockRead, LocksOnChain } from "./lock-reader.ts";
import type { LockOddities } from "./reconcile-store.ts";

/** The closed set of causes; the first that fits is given. */
export const driftCauses = ["start_block", "repeated_locks", "surplus_unlocks", "unknown"] as const;
export type DriftCause = (typeof driftCauses)[number];

/** What the index holds of a token's locks of one standard. */
export interface IndexedLock {
  readonly standard: LockStandardName;
  /** 1 or 0 but for a count. */
  readonly lockCount: number;
  /** Each lock counts; otherwise a token is locked or not, and is compared by that. */
  readonly isCounted: boolean;
}

/** A function that tells no count is compared by whether the token is locked. */
export const isDrift = ({ lockCount, isCounted }: IndexedLock, onChain: LocksOnChain): boolean =>
  onChain.lockCount === null || !isCounted
    ? isLocked(lockCount) !== onChain.locked
    : BigInt(lockCount) !== onChain.lockCount;

/** True where a lock that the contract holds is missing in the index; false where the index holds one too many. */
export const isMissingLocks = ({ lockCount, isCounted }: IndexedLock, onChain: LocksOnChain): boolean =>
  onChain.lockCount === null || !isCounted ? onChain.locked : BigInt(lockCount) < onChain.lockCount;

export interface DriftFacts {
  readonly indexed: IndexedLock;
  /** By the last of TokenLocked and TokenUnlocked the token is locked, whatever their count. */
  readonly flag: boolean;
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
export function explainDrift(facts: DriftFacts): {
  readonly cause: DriftCause;
  readonly explanation: string;
} {
  const { indexed, onChain, firstBlock, before } = facts;
  const isMissing = isMissingLocks(indexed, onChain);
  // Where a boolean is kept, an event that says again what was so is none.
  const oddities = indexed.isCounted ? facts.oddities : undefined;
  if (isMissing && before?.kind === "read" && before.locked) {
    return {
      cause: "start_block",
      explanation: `The contract existed and held a lock of the token in block ${firstBlock - 1}, but the index starts with block ${firstBlock}; set the collection's startBlock to the block of its deployment.`,
    };
  }
  if (!isMissing && oddities?.repeatedBy) {
    return {
      cause: "repeated_locks",
      explanation: `${oddities.repeatedBy} locked the token again with no unlock between; the index counts each TokenLocked, and the contract does not.${adviceFor(facts)}`,
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
  return { cause: "unknown", explanation: `${suspectCause(indexed.standard, isMissing)}${unjudged}` };
}

/** What to do about a contract that keeps a boolean, where that is what the drift comes of. */
const adviceFor = ({ flag, onChain }: DriftFacts): string =>
  onChain.lockCount === null && flag === onChain.locked
    ? ' It keeps a boolean, which is as the last event says: set "locks": "boolean" for the collection in collections.json and restart.'
    : "";

function suspectCause(standard: LockStandardName, isMissing: boolean): string {
  const { title, endsWithTransfer } = findLockStandard(standard);
  if (!isMissing)
    return `The contract may emit lock events of ${title} without locking, or unlock without events.`;
  const kept = endsWithTransfer
    ? " Or it keeps a lock through a transfer, which ends the lock by the standard, and does in the index."
    : "";
  return `The contract may lock without events of ${title}.${kept}`;
}

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
