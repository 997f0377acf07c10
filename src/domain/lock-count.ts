/** Lock counting (spec.md "States and transitions"): a token is locked while its count is above zero. */

export const isLocked = (lockCount: number): boolean => lockCount > 0;

export interface LockChange {
  readonly count: number;
  /** An unlock without a preceding lock: recorded, so that it never offsets a later lock. */
  readonly anomaly: boolean;
}

export const afterLock = (lockCount: number): LockChange => ({ count: lockCount + 1, anomaly: false });

export const afterUnlock = (lockCount: number): LockChange =>
  lockCount > 0 ? { count: lockCount - 1, anomaly: false } : { count: 0, anomaly: true };
