/** TokenLocked and TokenUnlocked: a count per token and an audit row per event (spec.md "States and transitions"). */

import { type Context, ponder } from "ponder:registry";
import { lockEvent, tokenState } from "ponder:schema";
import { afterLock, afterUnlock, isLocked } from "../domain/lock-count.ts";
import { type ChainEvent, collectionKey, provenance } from "./event-row.ts";
import { tokenKey, untouched } from "./token-key.ts";

type Direction = "lock" | "unlock";
type LockArgs = { readonly tokenId: bigint; readonly approvedContract: `0x${string}` };

async function countLock(event: ChainEvent, context: Context, direction: Direction, args: LockArgs) {
  const key = tokenKey(event, context, args.tokenId);
  const row = await context.db.find(tokenState, key);
  // Copied at once: rows that Ponder returns change under later writes.
  const before = row?.lockCount ?? 0;
  const since = row?.lockedSinceBlock ?? null;

  const { count, anomaly } = direction === "lock" ? afterLock(before) : afterUnlock(before);
  const change = {
    lockCount: count,
    lockedSinceBlock: isLocked(count) ? (since ?? event.block.number) : null,
    lastLockChangeBlock: event.block.number,
  };
  await context.db
    .insert(tokenState)
    .values({ ...key, ...untouched, ...change })
    .onConflictDoUpdate(change);
  await context.db
    .insert(lockEvent)
    .values({
      id: event.id,
      ...collectionKey(event, context),
      tokenId: args.tokenId,
      direction,
      approvedContract: args.approvedContract,
      countAfter: count,
      anomaly,
      ...provenance(event),
    })
    .onConflictDoNothing();
}

ponder.on("Collection:TokenLocked", ({ event, context }) => countLock(event, context, "lock", event.args));

ponder.on("Collection:TokenUnlocked", ({ event, context }) =>
  countLock(event, context, "unlock", event.args),
);
