/** The minimum that writes the same rows: plain inserts of each log's values, without any other state. */

import { ponder } from "ponder:registry";
import {
  collectionHolder,
  collectionState,
  lockEvent,
  metadataUpdate,
  tokenState,
  tokenTransfer,
} from "ponder:schema";

const HOLDERS = 1_000n;

ponder.on("Collection:Transfer", async ({ event, context }) => {
  const { from, to, tokenId } = event.args;
  const key = { chainId: context.chain.id, collectionAddress: event.log.address };
  const at = {
    blockNumber: event.block.number,
    blockTimestamp: event.block.timestamp,
    transactionHash: event.transaction.hash,
    logIndex: event.log.logIndex,
  };
  await context.db
    .insert(tokenTransfer)
    .values({ id: event.id, ...key, tokenId, from, to, quantity: 1n, ...at });
  await context.db.insert(metadataUpdate).values({
    id: event.id,
    ...key,
    source: "mint",
    fromTokenId: tokenId,
    toTokenId: tokenId,
    scope: "token",
    blockHash: event.block.hash,
    ...at,
  });
  await context.db.insert(tokenState).values({
    ...key,
    tokenId,
    standard: "erc721",
    owner: to,
    burned: false,
    lockCount: 0,
    mintedBlock: event.block.number,
    mintedLog: event.log.logIndex,
  });
  if (tokenId <= HOLDERS) await context.db.insert(collectionHolder).values({ ...key, holder: to, tokens: 1 });
  if (tokenId === 1n) {
    await context.db.insert(collectionState).values({ ...key, standard: "erc721", items: 1, owners: 1 });
  }
});

ponder.on("Collection:MetadataUpdate(uint256)", async ({ event, context }) => {
  const tokenId = BigInt(event.log.data);
  await context.db.insert(metadataUpdate).values({
    id: event.id,
    chainId: context.chain.id,
    collectionAddress: event.log.address,
    source: "MetadataUpdate",
    fromTokenId: tokenId,
    toTokenId: tokenId,
    scope: "token",
    blockHash: event.block.hash,
    blockNumber: event.block.number,
    blockTimestamp: event.block.timestamp,
    transactionHash: event.transaction.hash,
    logIndex: event.log.logIndex,
  });
});

for (const name of [
  "Collection:TokenLocked(uint256,address)",
  "Collection:TokenUnlocked(uint256,address)",
] as const) {
  const isLock = name === "Collection:TokenLocked(uint256,address)";
  ponder.on(name, async ({ event, context }) => {
    await context.db.insert(lockEvent).values({
      id: event.id,
      chainId: context.chain.id,
      collectionAddress: event.log.address,
      tokenId: BigInt(event.log.topics[1] ?? 0),
      standard: "erc721x",
      direction: isLock ? "lock" : "unlock",
      approvedContract: `0x${event.log.topics[2]?.slice(-40)}`,
      countAfter: isLock ? 1 : 0,
      flagCountAfter: isLock ? 1 : 0,
      followsDefault: true,
      anomaly: false,
      blockNumber: event.block.number,
      blockTimestamp: event.block.timestamp,
      transactionHash: event.transaction.hash,
      logIndex: event.log.logIndex,
    });
  });
}

// The storm has none of these, but an indexer of such contracts must request them.
for (const name of [
  "Collection:TransferSingle",
  "Collection:TransferBatch(address,address,address,uint256[],uint256[])",
  "Collection:ConsecutiveTransfer(uint256,uint256,address,address)",
  "Collection:BatchMetadataUpdate(uint256,uint256)",
  "Collection:URI(string,uint256)",
  "Collection:Locked(uint256)",
  "Collection:Unlocked(uint256)",
  "Collection:Locked(uint256,bool)",
  "Collection:DefaultLocked(bool)",
  "Collection:Lock(address,uint256)",
  "Collection:Unlock(uint256)",
] as const) {
  ponder.on(name, async ({ event }) => {
    throw new Error(`the storm does not emit ${name}, as block ${event.block.number} does`);
  });
}
