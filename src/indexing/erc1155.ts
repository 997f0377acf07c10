/** ERC-1155 transfers: balances per holder, and a supply that always equals their sum. */

import { type Context, ponder } from "ponder:registry";
import { tokenBalance, tokenState } from "ponder:schema";
import { zeroAddress } from "viem";
import { isUsualSingle, readBatch, readSingle } from "../domain/token-logs.ts";
import { UINT256_MAX } from "../domain/token-ref.ts";
import { recordAnomaly, unreadable } from "./anomalies.ts";
import { countMovement } from "./collection-counts.ts";
import type { ChainEvent } from "./event-row.ts";
import { type Movement, recordMovement } from "./movements.ts";
import { initialToken, tokenKey } from "./token-key.ts";
import { restoreRanged } from "./token-ranges.ts";

ponder.on("Collection:TransferSingle", async ({ event, context }) => {
  if (!isUsualSingle(event.log)) return;
  const { from, to, id, value } = event.args;
  await moveAmount(event, context, { from, to, tokenId: id, quantity: value });
});

// Every TransferSingle arrives here as well (abis/token-events.ts); the handler above covers the usual layout.
ponder.on(
  "Collection:TransferSingle(address,address,address,uint256,uint256)",
  async ({ event, context }) => {
    if (isUsualSingle(event.log)) return;
    const { isDoubtful, ...movement } = readSingle(event.log) ?? { isDoubtful: true };
    if ("tokenId" in movement && (!isDoubtful || (await hasAmount(event, context, movement))))
      return moveAmount(event, context, movement);
    await recordAnomaly(event, context, "unreadable_transfer", unreadable("TransferSingle", event));
  },
);

ponder.on(
  "Collection:TransferBatch(address,address,address,uint256[],uint256[])",
  async ({ event, context }) => {
    const batch = readBatch(event.log);
    if (!batch) {
      return recordAnomaly(event, context, "unreadable_transfer", unreadable("TransferBatch", event));
    }
    const { from, to, ids, values } = batch;
    for (const [part, tokenId] of ids.entries()) {
      await moveAmount(event, context, { from, to, tokenId, quantity: values[part] ?? 0n, part });
    }
  },
);

async function moveAmount(event: ChainEvent, context: Context, movement: Movement): Promise<void> {
  const { from, to, tokenId, quantity } = movement;
  const isMint = from === zeroAddress;
  // Contracts let anybody transfer zero of any id. Only a transfer from the zero address is a statement of the contract
  // itself (ERC-1155: "to broadcast the existence of a token ID with no initial balance").
  if (quantity === 0n && !isMint) return recordMovement(event, context, movement, false);
  // Balances from before the start block are unknown; tokens that move out of them are counted from now on.
  const source = await changeBalance(event, context, tokenId, from, -quantity);
  const target = await changeBalance(event, context, tokenId, to, quantity);
  const difference = (): bigint => source.after - source.before + (target.after - target.before);

  const mint = { mintedBlock: event.block.number, mintedLog: event.log.logIndex };
  const burn = { burnedBlock: event.block.number, burnedLog: event.log.logIndex };
  const leavesNothing = to === zeroAddress && quantity > 0n;
  // Copied scalars: rows that Ponder returns change under later writes.
  const supply = { before: 0n, after: difference() };
  const known = { hasTransfer: false, owner: null as `0x${string}` | null };
  let isNew = true;
  let isRepeated = false;
  let isIdle = false;
  await context.db
    .insert(tokenState)
    .values({
      ...tokenKey(event, context, tokenId),
      ...initialToken,
      standard: "erc1155",
      supply: supply.after,
      ...(isMint && mint),
      ...(leavesNothing && supply.after === 0n && { burned: true, ...burn }),
    })
    .onConflictDoUpdate((row) => {
      known.hasTransfer = row.standard !== null;
      known.owner = row.owner;
      isRepeated = wasReported(row, movement);
      // An announcement takes nothing from the owner.
      isIdle = quantity === 0n && known.owner !== null;
      if (isRepeated || isIdle) return {};
      supply.before = row.supply ?? 0n;
      if (known.owner !== null) countOwned(known.owner);
      supply.after = bounded(supply.before + difference());
      isNew = !known.hasTransfer || (row.burned && supply.after > 0n);
      const burned = supply.after === 0n && (leavesNothing || row.burned);
      return {
        standard: "erc1155" as const,
        owner: null,
        supply: supply.after,
        burned,
        ...(isMint && supply.before === 0n && mint),
        ...(burned && !row.burned && burn),
      };
    });
  const isRanged = !known.hasTransfer && (await restoreRanged(event, context, tokenId));
  if (isRepeated || isRanged) {
    await changeBalance(event, context, tokenId, to, target.before - target.after);
    await changeBalance(event, context, tokenId, from, source.before - source.after);
    return isRanged ? moveAmount(event, context, movement) : undefined;
  }
  if (isIdle) return recordMovement(event, context, movement, false);
  if (known.owner !== null && known.owner !== from) {
    await changeBalance(event, context, tokenId, known.owner, 1n);
  }
  await recordMovement(event, context, movement, isNew);
  await countMovement(event, context, "erc1155", {
    items: filling(supply),
    takenFrom: filling(source) === -1 ? from : undefined,
    givenTo: filling(target) === 1 ? to : undefined,
    ownId: known.hasTransfer ? undefined : tokenId,
  });

  /** The owner holds one piece, which was no amount until now. */
  function countOwned(owner: `0x${string}`): void {
    supply.before += 1n;
    if (owner === from) source.before += 1n;
    else if (owner === to) {
      target.before += 1n;
      target.after += 1n;
    }
  }
}

/** Whether the sender has what moves, as it does in a log that is read in its own layout. */
async function hasAmount(
  event: ChainEvent,
  context: Context,
  { from, tokenId, quantity }: Movement,
): Promise<boolean> {
  const row = await context.db.find(tokenBalance, { ...tokenKey(event, context, tokenId), holder: from });
  return row !== null && quantity > 0n && row.balance >= quantity;
}

/** Some contracts report each movement of a token by both standards: whether ERC-721's Transfer has said the same. */
function wasReported(row: typeof tokenState.$inferSelect, { to, quantity }: Movement): boolean {
  if (row.standard !== "erc721" || row.supply !== null || quantity !== 1n) return false;
  return to === zeroAddress ? row.burned : row.owner === to;
}

interface Change {
  before: bigint;
  after: bigint;
}

/** 1 if the amount became nonzero, -1 if it became zero, otherwise 0. */
function filling({ before, after }: Change): -1 | 0 | 1 {
  if (before === 0n) return after > 0n ? 1 : 0;
  return after === 0n ? -1 : 0;
}

/**
 * Clamps to the uint256 range. A contract that emits amounts without storing any could sum up to more digits than the
 * column allows, which would stop the indexer for good.
 */
function bounded(amount: bigint): bigint {
  if (amount < 0n) return 0n;
  return amount > UINT256_MAX ? UINT256_MAX : amount;
}

/** Changes a balance, never below zero. The zero address has none. */
async function changeBalance(
  event: ChainEvent,
  context: Context,
  tokenId: bigint,
  holder: `0x${string}`,
  by: bigint,
): Promise<Change> {
  if (holder === zeroAddress || by === 0n) return { before: 0n, after: 0n };
  const key = { ...tokenKey(event, context, tokenId), holder };
  const balance = { before: 0n, after: by > 0n ? by : 0n };
  await context.db
    .insert(tokenBalance)
    .values({ ...key, balance: balance.after })
    .onConflictDoUpdate((row) => {
      balance.before = row.balance;
      balance.after = bounded(row.balance + by);
      return { balance: balance.after };
    });
  return balance;
}
