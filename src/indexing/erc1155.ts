/** ERC-1155 transfers: balances per holder, and a supply that is always their sum. */

import { type Context, ponder } from "ponder:registry";
import { tokenBalance, tokenState } from "ponder:schema";
import { zeroAddress } from "viem";
import { UINT256_MAX } from "../domain/token-ref.ts";
import { countHolding, countItems } from "./collection-counts.ts";
import type { ChainEvent } from "./event-row.ts";
import { type Movement, recordMovement } from "./movements.ts";
import { tokenKey, untouched } from "./token-key.ts";

ponder.on("Collection:TransferSingle", async ({ event, context }) => {
  const { from, to, id, value } = event.args;
  await moveAmount(event, context, { from, to, tokenId: id, quantity: value });
});

ponder.on("Collection:TransferBatch", async ({ event, context }) => {
  const { from, to, ids, values } = event.args;
  for (const [part, tokenId] of ids.entries()) {
    await moveAmount(event, context, { from, to, tokenId, quantity: values[part] ?? 0n, part });
  }
});

async function moveAmount(event: ChainEvent, context: Context, movement: Movement): Promise<void> {
  const { from, to, tokenId, quantity } = movement;
  // A balance from before the start block was never seen; what moves out of it comes into sight now.
  const taken = await changeBalance(event, context, tokenId, from, -quantity);
  const given = await changeBalance(event, context, tokenId, to, quantity);

  const mint = { mintedBlock: event.block.number, mintedLog: event.log.logIndex };
  const burn = { burnedBlock: event.block.number, burnedLog: event.log.logIndex };
  const isMint = from === zeroAddress;
  const leavesNothing = to === zeroAddress && quantity > 0n;
  // Scalars, since rows that Ponder hands out change under later writes.
  const supply = { before: 0n, after: taken + given };
  let isNew = true;
  await context.db
    .insert(tokenState)
    .values({
      ...tokenKey(event, context, tokenId),
      ...untouched,
      standard: "erc1155",
      supply: supply.after,
      ...(isMint && mint),
      ...(leavesNothing && supply.after === 0n && { burned: true, ...burn }),
    })
    .onConflictDoUpdate((row) => {
      isNew = row.standard === null || (isMint && row.burned);
      supply.before = row.supply ?? 0n;
      supply.after = bounded(supply.before + taken + given);
      const burned = supply.after === 0n && (leavesNothing || row.burned);
      return {
        standard: "erc1155" as const,
        supply: supply.after,
        burned,
        ...(isMint && supply.before === 0n && mint),
        ...(burned && !row.burned && burn),
      };
    });
  await recordMovement(event, context, movement, isNew);
  if (supply.before === 0n && supply.after > 0n) await countItems(event, context, "erc1155", 1);
  if (supply.before > 0n && supply.after === 0n) await countItems(event, context, "erc1155", -1);
}

/**
 * Within what a contract itself can hold. One that emits amounts without keeping any could sum up to more digits than
 * the column has, and that would stop the indexer for good.
 */
function bounded(amount: bigint): bigint {
  if (amount < 0n) return 0n;
  return amount > UINT256_MAX ? UINT256_MAX : amount;
}

/** Changes a balance, never below zero; answers the difference that was made. The zero address has none. */
async function changeBalance(
  event: ChainEvent,
  context: Context,
  tokenId: bigint,
  holder: `0x${string}`,
  by: bigint,
): Promise<bigint> {
  if (holder === zeroAddress || by === 0n) return 0n;
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
  if (balance.before === 0n && balance.after > 0n) await countHolding(event, context, "erc1155", holder, 1);
  if (balance.before > 0n && balance.after === 0n) await countHolding(event, context, "erc1155", holder, -1);
  return balance.after - balance.before;
}
