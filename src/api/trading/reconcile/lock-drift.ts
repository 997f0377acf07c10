/** Differences between the chain index and a contract on a token's locks of one standard, with the likely cause. */

import { isLocked } from "../../../domain/lock-count.ts";
import { findLockStandard, type LockStandardName } from "../../../domain/lock-standards.ts";
import type { LockRead, LocksOnChain } from "./lock-reader.ts";
import type { LockOddities } from "./reconcile-store.ts";

/** The closed set of causes; the first match is reported. */
export const driftCauses = ["start_block", "repeated_locks", "surplus_unlocks", "unknown"] as const;
export type DriftCause = (typeof driftCauses)[number];

/** The indexed locks of a token by one standard. */
export interface IndexedLock {
  readonly standard: LockStandardName;
  /** 1 or 0 unless it is a count. */
  readonly lockCount: number;
  /** Each lock counts; otherwise only locked or unlocked is compared. */
  readonly isCounted: boolean;
}

/** Compares counts if the view returns one, otherwise only whether the token is locked. */
export const isDrift = ({ lockCount, isCounted }: IndexedLock, onChain: LocksOnChain): boolean =>
  onChain.lockCount === null || !isCounted
    ? isLocked(lockCount) !== onChain.locked
    : BigInt(lockCount) !== onChain.lockCount;

/** True if the chain index lacks a lock that the contract has; false if it has one too many. */
export const isMissingLocks = ({ lockCount, isCounted }: IndexedLock, onChain: LocksOnChain): boolean =>
  onChain.lockCount === null || !isCounted ? onChain.locked : BigInt(lockCount) < onChain.lockCount;

export interface DriftFacts {
  readonly indexed: IndexedLock;
  /** Whether the last of TokenLocked and TokenUnlocked locked the token, whatever the count. */
  readonly flag: boolean;
  readonly onChain: LocksOnChain;
  /** The chain index's first block. */
  readonly firstBlock: number;
  /** The contract's state in the block before it; undefined if not read. */
  readonly before: LockRead | undefined;
  readonly oddities: LockOddities | undefined;
}

/**
 * A late start block is proved, not guessed: the contract had a lock before the chain index began. If the contract
 * existed then and the token was unlocked, the start block is not the cause.
 */
export function explainDrift(facts: DriftFacts): {
  readonly cause: DriftCause;
  readonly explanation: string;
} {
  const { indexed, onChain, firstBlock, before } = facts;
  const isMissing = isMissingLocks(indexed, onChain);
  // For a boolean, an event that repeats the state is no anomaly.
  const oddities = indexed.isCounted ? facts.oddities : undefined;
  if (isMissing && before?.kind === "read" && before.locked) {
    return {
      cause: "start_block",
      explanation: `The contract existed and held a lock of the token in block ${firstBlock - 1}, but the chain index starts with block ${firstBlock}; set the collection's startBlock to the block of its deployment.`,
    };
  }
  if (!isMissing && oddities?.repeatedBy) {
    return {
      cause: "repeated_locks",
      explanation: `${oddities.repeatedBy} locked the token again with no unlock between; the chain index counts each TokenLocked, and the contract does not.${adviceFor(facts)}`,
    };
  }
  const unjudged =
    before?.kind === "unavailable"
      ? ` The node did not answer for block ${firstBlock - 1}, perhaps because it is not an archive node, so whether the start block ${firstBlock} is too late is unknown.`
      : "";
  if (oddities && oddities.surplusUnlocks > 0) {
    return {
      cause: "surplus_unlocks",
      explanation: `TokenUnlocked came ${times(oddities.surplusUnlocks)} when the chain index held no lock, last in block ${oddities.lastSurplusBlock}; such an unlock changes nothing in the chain index.${unjudged}`,
    };
  }
  return { cause: "unknown", explanation: `${suspectCause(indexed.standard, isMissing)}${unjudged}` };
}

/** Advice for a contract that stores a boolean, if that explains the drift. */
const adviceFor = ({ flag, onChain }: DriftFacts): string =>
  onChain.lockCount === null && flag === onChain.locked
    ? ' It keeps a boolean, which is as the last event says: set "locks": "boolean" for the collection in collections.json and restart.'
    : "";

function suspectCause(standard: LockStandardName, isMissing: boolean): string {
  const { title, endsWithTransfer } = findLockStandard(standard);
  if (!isMissing)
    return `The contract may emit lock events of ${title} without locking, or unlock without events.`;
  const kept = endsWithTransfer
    ? " Or it keeps a lock through a transfer, which ends the lock by the standard, and does in the chain index."
    : "";
  return `The contract may lock without events of ${title}.${kept}`;
}

const times = (count: number): string => (count === 1 ? "once" : `${count} times`);
