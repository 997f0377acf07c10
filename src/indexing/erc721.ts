/** ERC-721 transfers, ERC-2309 mints included: who owns what, and which tokens are new. */

import { type Context, ponder } from "ponder:registry";
import { tokenState } from "ponder:schema";
import { zeroAddress } from "viem";
import { recordAnomaly } from "./anomalies.ts";
import { countMovement } from "./collection-counts.ts";
import type { ChainEvent } from "./event-row.ts";
import { transferLocks } from "./lock-rows.ts";
import { type Movement, recordMovement } from "./movements.ts";
import { tokenKey, untouched } from "./token-key.ts";

// What ERC721A mints at most in one event; a contract may claim 2^256 tokens in one log.
const CONSECUTIVE_TOKENS_MAX = 5_000n;

ponder.on("Collection:Transfer", async ({ event, context }) => {
  await moveToken(event, context, { ...event.args, quantity: 1n });
});

ponder.on("Collection:ConsecutiveTransfer", async ({ event, context }) => {
  const { fromTokenId, toTokenId, fromAddress, toAddress } = event.args;
  const claimed = toTokenId - fromTokenId + 1n;
  const count = claimed > CONSECUTIVE_TOKENS_MAX ? CONSECUTIVE_TOKENS_MAX : claimed;
  for (let part = 0n; part < count; part++) {
    const tokenId = fromTokenId + part;
    const movement = { from: fromAddress, to: toAddress, tokenId, quantity: 1n, part: Number(part) };
    await moveToken(event, context, movement);
  }
  if (claimed <= CONSECUTIVE_TOKENS_MAX) return;
  const detail = `tokens ${fromTokenId} to ${toTokenId} moved in one event; those from ${fromTokenId + count} on are not indexed`;
  await recordAnomaly(event, context, "consecutive_transfer_cut", detail);
});

async function moveToken(event: ChainEvent, context: Context, movement: Movement): Promise<void> {
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
  // Scalars, since rows that Ponder hands out change under later writes.
  const before = { existed: false, owner: null as `0x${string}` | null };
  // ERC-721x locks are left alone: contracts keep them through burn and re-mint.
  const locks = transferLocks(event, context, tokenId, movement.part);
  await context.db
    .insert(tokenState)
    .values({ ...tokenKey(event, context, tokenId), ...untouched, ...change })
    .onConflictDoUpdate((row) => {
      before.existed = row.standard !== null && !row.burned;
      before.owner = row.owner;
      return minted ? change : { ...change, ...locks.end(row) };
    });
  await locks.record();
  await recordMovement(event, context, movement, !before.existed);

  await countMovement(event, context, "erc721", {
    items: before.existed === burned ? (burned ? -1 : 1) : 0,
    // Whoever was counted, whatever the event says; a holder from before the start block was never counted.
    takenFrom: before.owner ?? undefined,
    givenTo: to,
  });
}
