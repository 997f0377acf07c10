/** The rows written for lock events: the state of a token or of a collection's default, and one audit row each. */

import type { Context } from "ponder:registry";
import { lockDefault, lockEvent, tokenState } from "ponder:schema";
import type { DecodedLock, LockStandardName } from "../domain/lock-standards.ts";
import { switchWithDefault } from "../domain/lock-standards.ts";
import {
  applyLock,
  changedBy,
  endedBy,
  flagCount,
  type LockChange,
  type LockState,
  noLocks,
} from "../domain/lock-state.ts";
import { type ChainEvent, collectionKey, provenance, rowId } from "./event-row.ts";
import { initialToken, tokenKey } from "./token-key.ts";
import { findRanged, materialiseToken } from "./token-ranges.ts";

type Holder = `0x${string}` | null;
type DecodedTokenLock = DecodedLock & { readonly tokenId: bigint };

/**
 * Locks or unlocks one token by an event of these standards: two store operations, and more for a token without a
 * transfer so far.
 */
export async function changeTokenLock(
  event: ChainEvent,
  context: Context,
  standards: readonly [LockStandardName, ...LockStandardName[]],
  decoded: DecodedTokenLock,
): Promise<void> {
  const lastLockChangeBlock = event.block.number;
  let [standard] = standards;
  let changed = applyLock(noLocks, standard, decoded.isLocked, lastLockChangeBlock);
  let hasTransfer = false;
  let holder: Holder = null;
  await context.db
    .insert(tokenState)
    .values({
      ...tokenKey(event, context, decoded.tokenId),
      ...initialToken,
      ...changed.state,
      lastLockChangeBlock,
    })
    .onConflictDoUpdate((row) => {
      hasTransfer = row.standard !== null;
      holder = row.owner;
      const [first = standard, ...others] = changedBy(row, standards);
      standard = first;
      changed = applyLock(row, first, decoded.isLocked, lastLockChangeBlock);
      for (const other of others)
        changed = applyLock(changed.state, other, decoded.isLocked, lastLockChangeBlock);
      return { ...changed.state, lastLockChangeBlock };
    });
  if (!hasTransfer) holder = (await materialiseToken(event, context, decoded.tokenId))?.owner ?? null;
  await recordTokenLock(event, context, standard, { ...decoded, holder }, changed);
}

/** Changes the state of all tokens without an event of their own. */
export async function changeDefaultLock(
  event: ChainEvent,
  context: Context,
  standard: LockStandardName,
  locked: boolean,
): Promise<void> {
  const { number } = event.block;
  const state = { locked, lastLockChangeBlock: number };
  const lockedSinceBlock = locked ? number : null;
  await context.db
    .insert(lockDefault)
    .values({ ...collectionKey(event, context), standard, ...state, lockedSinceBlock })
    .onConflictDoUpdate((row) => ({
      ...state,
      lockedSinceBlock: locked ? (row.lockedSinceBlock ?? number) : null,
    }));
  await context.db.insert(lockEvent).values({
    id: event.id,
    ...collectionKey(event, context),
    tokenId: null,
    holder: null,
    standard,
    direction: locked ? "lock" : "unlock",
    approvedContract: null,
    countAfter: Number(locked),
    flagCountAfter: Number(locked),
    followsDefault: false,
    anomaly: false,
    ...provenance(event),
  });
}

/** Ends a token's locks on a transfer other than a mint, within the write that moves the token. */
export function transferLocks(event: ChainEvent, context: Context, tokenId: bigint, part?: number) {
  const ended: { standard: LockStandardName; changed: LockChange }[] = [];
  const lastLockChangeBlock = event.block.number;
  let holder: Holder = null;
  let hasTransfer = false;
  return {
    /** The columns that change; empty for almost all tokens. */
    end(row: typeof tokenState.$inferSelect): Partial<typeof tokenState.$inferInsert> {
      let state: LockState = row;
      holder = row.owner;
      hasTransfer = row.standard !== null;
      for (const standard of endedBy(row)) {
        const changed = applyLock(state, standard, false, lastLockChangeBlock);
        ended.push({ standard, changed });
        state = changed.state;
      }
      return ended.length === 0 ? {} : { ...state, lastLockChangeBlock };
    },

    /** Writes an audit row for each ended lock. Call it after that write. */
    async record(): Promise<void> {
      if (ended.length === 0) return;
      // The token may have been minted in a range after its lock.
      if (!hasTransfer) holder = (await findRanged(event, context, tokenId))?.owner ?? null;
      for (const { standard, changed } of ended) {
        const decoded = { tokenId, isLocked: false, by: null, holder };
        await recordTokenLock(
          event,
          context,
          standard,
          decoded,
          changed,
          `${rowId(event, part)}-${standard}`,
        );
      }
    },
  };
}

async function recordTokenLock(
  event: ChainEvent,
  context: Context,
  standard: LockStandardName,
  { tokenId, isLocked, by, holder }: DecodedTokenLock & { readonly holder: Holder },
  { state, anomaly }: LockChange,
  id = event.id,
): Promise<void> {
  await context.db.insert(lockEvent).values({
    id,
    ...collectionKey(event, context),
    tokenId,
    holder,
    standard,
    direction: isLocked ? "lock" : "unlock",
    approvedContract: by,
    countAfter: state.lockCount,
    flagCountAfter: flagCount(state),
    followsDefault: state[switchWithDefault] === null,
    anomaly,
    ...provenance(event),
  });
}
