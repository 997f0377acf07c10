/** TokenLocked and TokenUnlocked: a count per token and an audit row per event (spec.md "States and transitions"). */

import { type Context, ponder } from "ponder:registry";
import { lockEvent, tokenState } from "ponder:schema";
import { afterLock, afterUnlock, isLocked } from "../domain/lock-count.ts";
import { type ChainEvent, collectionKey, provenance } from "./event-row.ts";
import { tokenKey, untouched } from "./token-key.ts";

type Direction = "lock" | "unlock";
type LockArgs = { readonly tokenId: bigint; readonly approvedContract: `0x${string}` };

async function countLock(event: ChainEvent, context: Context, direction: Direction, args: LockArgs) {
  const countAfter = direction === "lock" ? afterLock : afterUnlock;
  let changed = countAfter(0);
  const { number } = event.block;
  const lastLockChangeBlock = number;
  await context.db
    .insert(tokenState)
    .values({
      ...tokenKey(event, context, args.tokenId),
      ...untouched,
      lockCount: changed.count,
      lockedSinceBlock: isLocked(changed.count) ? number : null,
      lastLockChangeBlock,
    })
    .onConflictDoUpdate((row) => {
      changed = countAfter(row.lockCount);
      const lockedSinceBlock = isLocked(changed.count) ? (row.lockedSinceBlock ?? number) : null;
      return { lockCount: changed.count, lockedSinceBlock, lastLockChangeBlock };
    });
  const { count, anomaly } = changed;
  await context.db.insert(lockEvent).values({
    id: event.id,
    ...collectionKey(event, context),
    tokenId: args.tokenId,
    direction,
    approvedContract: args.approvedContract,
    countAfter: count,
    anomaly,
    ...provenance(event),
  });
}

ponder.on("Collection:TokenLocked", ({ event, context }) => countLock(event, context, "lock", event.args));

ponder.on("Collection:TokenUnlocked", ({ event, context }) =>
  countLock(event, context, "unlock", event.args),
);
