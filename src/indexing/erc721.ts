/** ERC-721 transfers in any layout: owners and new tokens. */

import { type Context, ponder } from "ponder:registry";
import { collectionState, tokenBalance, tokenState } from "ponder:schema";
import { zeroAddress } from "viem";
import { readTransfer } from "../domain/token-logs.ts";
import { recordAnomaly, unreadable } from "./anomalies.ts";
import { countMovement } from "./collection-counts.ts";
import { recordDoubtful, retractDoubtful } from "./doubtful-transfers.ts";
import { type ChainEvent, collectionKey } from "./event-row.ts";
import { transferLocks } from "./lock-rows.ts";
import { type Movement, recordMovement } from "./movements.ts";
import { initialToken, tokenKey } from "./token-key.ts";
import { findRanged, type RangedToken } from "./token-ranges.ts";

ponder.on("Collection:Transfer", async ({ event, context }) => {
  await moveToken(event, context, { ...event.args, quantity: 1n }, { isIndexed: true });
});

// Every Transfer arrives here as well (abis/token-events.ts); the handler above covers the ERC-721 layout.
ponder.on("Collection:Transfer(address,address,uint256)", async ({ event, context }) => {
  if (event.log.topics[3] != null) return;
  const movement = readTransfer(event.log);
  if (!movement) return recordAnomaly(event, context, "unreadable_transfer", unreadable("Transfer", event));
  const collection = await context.db.find(collectionState, collectionKey(event, context));
  if (collection?.hasIndexedTransfers || collection?.standard === "erc1155") {
    const detail = `a Transfer of ${movement.tokenId} in another layout than the collection's tokens: likely an amount of a coin`;
    return recordAnomaly(event, context, "mixed_transfer_layouts", detail);
  }
  await moveToken(event, context, movement);
  await recordDoubtful(event, context, movement.tokenId);
});

/**
 * Applies one transfer, unless it only repeats what an ERC-1155 event has said: some contracts report each movement by
 * both standards. `isIndexed`: a Transfer with all three arguments indexed, as in ERC-721. `isNews`: it repeats nothing.
 */
export async function moveToken(
  event: ChainEvent,
  context: Context,
  movement: Movement,
  { isIndexed = false, isNews = false }: { isIndexed?: boolean; isNews?: boolean } = {},
): Promise<void> {
  const { from, to, tokenId } = movement;
  const minted = from === zeroAddress;
  const burned = to === zeroAddress;
  const change = {
    standard: "erc721" as const,
    owner: burned ? null : to,
    burned,
    ...(minted && { mintedBlock: event.block.number, mintedLog: event.log.logIndex }),
    ...(burned && { burnedBlock: event.block.number, burnedLog: event.log.logIndex }),
  };
  // Copied scalars: rows that Ponder returns change under later writes.
  const before = { hasTransfer: false, existed: false, owner: null as `0x${string}` | null };
  const amounts = { areKept: false, areLeft: false, burned: false };
  // ERC-721x locks stay: contracts keep them through burn and re-mint.
  const locks = transferLocks(event, context, tokenId, movement.part);
  await context.db
    .insert(tokenState)
    .values({ ...tokenKey(event, context, tokenId), ...initialToken, ...change })
    .onConflictDoUpdate((row) => {
      amounts.areKept = row.standard === "erc1155" && !isNews;
      amounts.burned = row.burned;
      if (amounts.areKept) return minted ? {} : locks.end(row);
      // Of one piece, the amount becomes an owner. An announced token has none yet.
      amounts.areLeft = row.supply !== null && row.supply <= 1n;
      before.hasTransfer = row.standard !== null;
      before.existed = before.hasTransfer && !row.burned && row.supply !== 0n;
      before.owner = row.owner;
      return {
        ...change,
        ...(amounts.areLeft && { supply: null }),
        ...(!minted && locks.end(row)),
      };
    });
  await locks.record();
  if (amounts.areKept) {
    const isRepeated = burned ? amounts.burned : (await balanceOf(to)) > 0n;
    return isRepeated ? undefined : moveToken(event, context, movement, { isIndexed, isNews: true });
  }
  if (amounts.areLeft) before.owner ??= await takeAmount();
  const ranged = before.hasTransfer ? undefined : await findRanged(event, context, tokenId);
  if (ranged) await takeFromRange(ranged);
  await recordMovement(event, context, movement, !before.existed);

  const doubtful = await countMovement(event, context, "erc721", {
    items: before.existed === burned ? (burned ? -1 : 1) : 0,
    // The owner we counted, whatever the event says: a holder from before the start block was never counted.
    takenFrom: before.owner ?? undefined,
    givenTo: to,
    isIndexed,
    ownId: before.hasTransfer || ranged ? undefined : tokenId,
  });
  if (doubtful !== null) await retractDoubtful(event, context, doubtful, tokenId);

  async function balanceOf(holder: `0x${string}`): Promise<bigint> {
    const row = await context.db.find(tokenBalance, { ...tokenKey(event, context, tokenId), holder });
    return row?.balance ?? 0n;
  }

  /** Returns the sender if it held the token by amount. */
  async function takeAmount(): Promise<`0x${string}` | null> {
    if ((await balanceOf(from)) === 0n) return null;
    const key = { ...tokenKey(event, context, tokenId), holder: from };
    await context.db.update(tokenBalance, key).set({ balance: 0n });
    return from;
  }

  async function takeFromRange({ owner, mintedBlock, mintedLog }: RangedToken): Promise<void> {
    before.existed = true;
    before.owner = owner;
    // The contract may report each mint once more.
    if (minted) return;
    await context.db.update(tokenState, tokenKey(event, context, tokenId)).set({ mintedBlock, mintedLog });
  }
}
