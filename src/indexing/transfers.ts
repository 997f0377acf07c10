/** ERC-721 and ERC-1155 transfers: who owns what, how much there is, and which tokens are new. */

import { type Context, ponder } from "ponder:registry";
import { tokenState } from "ponder:schema";
import { zeroAddress } from "viem";
import type { ChainEvent } from "./event-row.ts";
import { recordCause } from "./metadata-updates.ts";
import { tokenKey, untouched } from "./token-key.ts";

ponder.on("Collection:Transfer", async ({ event, context }) => {
  const { from, to, tokenId } = event.args;
  const minted = from === zeroAddress;
  const burned = to === zeroAddress;
  await recordFirstSight(event, context, tokenId, minted);

  const change = {
    standard: "erc721" as const,
    owner: burned ? null : to,
    burned,
    ...(minted && { mintedBlock: event.block.number, mintedLog: event.log.logIndex }),
    ...(burned && { burnedBlock: event.block.number, burnedLog: event.log.logIndex }),
  };
  // The lock count is left alone: contracts keep it through burn and re-mint.
  await context.db
    .insert(tokenState)
    .values({ ...tokenKey(event, context, tokenId), ...untouched, ...change })
    .onConflictDoUpdate(change);
});

ponder.on("Collection:TransferSingle", async ({ event, context }) => {
  const { from, to, id, value } = event.args;
  await moveAmount(event, context, { from, to, tokenId: id, amount: value });
});

ponder.on("Collection:TransferBatch", async ({ event, context }) => {
  const { from, to, ids, values } = event.args;
  for (const [part, tokenId] of ids.entries()) {
    await moveAmount(event, context, { from, to, tokenId, amount: values[part] ?? 0n, part });
  }
});

interface Movement {
  readonly from: string;
  readonly to: string;
  readonly tokenId: bigint;
  readonly amount: bigint;
  readonly part?: number;
}

async function moveAmount(event: ChainEvent, context: Context, movement: Movement): Promise<void> {
  const { from, to, tokenId, amount, part } = movement;
  const minted = from === zeroAddress;
  await recordFirstSight(event, context, tokenId, minted, part);

  const delta = (minted ? amount : 0n) - (to === zeroAddress ? amount : 0n);
  const mint = { mintedBlock: event.block.number, mintedLog: event.log.logIndex };
  const burn = { burnedBlock: event.block.number, burnedLog: event.log.logIndex };
  await context.db
    .insert(tokenState)
    .values({
      ...tokenKey(event, context, tokenId),
      ...untouched,
      standard: "erc1155",
      supply: delta > 0n ? delta : 0n,
      ...(minted && mint),
    })
    .onConflictDoUpdate((row) => {
      const before = row.supply ?? 0n;
      // Below zero only when the start block is after the mint; the chain itself cannot go there.
      const supply = before + delta > 0n ? before + delta : 0n;
      const burned = delta < 0n ? supply === 0n : row.burned && supply === 0n;
      return {
        standard: "erc1155" as const,
        supply,
        burned,
        ...(delta > 0n && before === 0n && mint),
        ...(burned && !row.burned && burn),
      };
    });
}

/** A token nobody has told of yet, or one that comes back after a burn, has metadata to read. */
async function recordFirstSight(
  event: ChainEvent,
  context: Context,
  tokenId: bigint,
  minted: boolean,
  part?: number,
): Promise<void> {
  const known = await context.db.find(tokenState, tokenKey(event, context, tokenId));
  const isNew = known === null || known.standard === null || (minted && known.burned);
  if (!isNew) return;
  const source = minted ? "mint" : "first_seen";
  await recordCause(event, context, {
    source,
    from: tokenId,
    to: tokenId,
    ...(part !== undefined && { part }),
  });
}
