/** The lock state of a token, computed from the events of all lock standards one at a time. */

import { afterLock, afterUnlock, isLocked } from "./lock-count.ts";
import { endedByTransfer, type LockStandardName, type SwitchName, switches } from "./lock-standards.ts";

/** From the token's own events only: readers apply the collection's default. */
export interface LockState extends Readonly<Record<SwitchName, boolean | null>> {
  /** ERC-721x locks as a count, plus one for each switch that is on. */
  readonly lockCount: number;
  /** The last of TokenLocked and TokenUnlocked; null if neither was emitted. */
  readonly erc721xFlag: boolean | null;
  /** The block in which `lockCount` last left zero; null while it is zero. */
  readonly lockedSinceBlock: bigint | null;
  /** The same for the count that uses `erc721xFlag` instead of the ERC-721x locks. */
  readonly flagLockedSinceBlock: bigint | null;
}

export const noLocks: LockState = {
  lockCount: 0,
  erc721xFlag: null,
  lockedSinceBlock: null,
  flagLockedSinceBlock: null,
  ...(Object.fromEntries(switches.map((name) => [name, null])) as Record<SwitchName, null>),
};

export interface LockChange {
  readonly state: LockState;
  /** An unlock of a counting standard without a preceding lock. Repeating a switch's state is no anomaly. */
  readonly anomaly: boolean;
}

/** The state after a lock or unlock in a block. `before` may be a live row: its values are copied. */
export function applyLock(
  before: LockState,
  standard: LockStandardName,
  locks: boolean,
  block: bigint,
): LockChange {
  const was = copy(before);
  const after = copy(was);
  let anomaly = false;
  if (standard === "erc721x") {
    const switched = switchCount(was);
    const changed = (locks ? afterLock : afterUnlock)(was.lockCount - switched);
    after.lockCount = changed.count + switched;
    after.erc721xFlag = locks;
    anomaly = changed.anomaly;
  } else {
    after.lockCount += Number(locks) - Number(was[standard] === true);
    after[standard] = locks;
  }
  after.lockedSinceBlock = since(after.lockCount, was.lockedSinceBlock, block);
  after.flagLockedSinceBlock = since(flagCount(after), was.flagLockedSinceBlock, block);
  return { state: after, anomaly };
}

/**
 * The standards that an event changes, of those that have it: two have the same unlock, which ends each one's lock. The
 * first of them has the event's audit row.
 */
export function changedBy(
  state: LockState,
  standards: readonly LockStandardName[],
): readonly LockStandardName[] {
  if (standards.length === 1) return standards;
  const locking = standards.filter((name) => name !== "erc721x" && state[name] === true);
  return locking.length > 0 ? locking : standards.slice(0, 1);
}

/** The locks ended by a transfer that is not a mint. */
export const endedBy = (state: LockState): SwitchName[] =>
  endedByTransfer.filter((name) => state[name] === true);

/** The count with the ERC-721x events as a switch. */
export const flagCount = (state: LockState): number =>
  Number(state.erc721xFlag === true) + switchCount(state);

function switchCount(state: LockState): number {
  let count = 0;
  for (const name of switches) if (state[name] === true) count++;
  return count;
}

const since = (count: number, before: bigint | null, block: bigint): bigint | null =>
  isLocked(count) ? (before ?? block) : null;

type Mutable = { -readonly [Key in keyof LockState]: LockState[Key] };

function copy(state: LockState): Mutable {
  const { lockCount, erc721xFlag, lockedSinceBlock, flagLockedSinceBlock } = state;
  const own = { lockCount, erc721xFlag, lockedSinceBlock, flagLockedSinceBlock } as Mutable;
  for (const name of switches) own[name] = state[name];
  return own;
}
