import { onchainTable, primaryKey } from "ponder";

/** One row per token the chain has told of. `owner` is for ERC-721, `supply` for ERC-1155. */
export const tokenState = onchainTable(
  "token_state",
  (t) => ({
    chainId: t.int8({ mode: "number" }).notNull(),
    collectionAddress: t.hex().notNull(),
    tokenId: t.bigint().notNull(),
    /** Told by the first transfer; null while only other events have named the token. */
    standard: t.text({ enum: ["erc721", "erc1155"] }),
    owner: t.hex(),
    supply: t.bigint(),
    mintedBlock: t.bigint(),
    mintedLog: t.integer(),
    burned: t.boolean().notNull(),
    burnedBlock: t.bigint(),
    burnedLog: t.integer(),
    lockCount: t.integer().notNull(),
    /** The block in which the count last left zero; null while unlocked. */
    lockedSinceBlock: t.bigint(),
    lastLockChangeBlock: t.bigint(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.collectionAddress, table.tokenId] }) }),
);

/** The audit of locks: one row per TokenLocked and TokenUnlocked, with the count after it. */
export const lockEvent = onchainTable("lock_event", (t) => ({
  id: t.text().primaryKey(),
  chainId: t.int8({ mode: "number" }).notNull(),
  collectionAddress: t.hex().notNull(),
  tokenId: t.bigint().notNull(),
  direction: t.text({ enum: ["lock", "unlock"] }).notNull(),
  approvedContract: t.hex().notNull(),
  countAfter: t.integer().notNull(),
  /** True for an unlock at count zero, which changes nothing. */
  anomaly: t.boolean().notNull(),
  blockNumber: t.bigint().notNull(),
  blockTimestamp: t.bigint().notNull(),
  transactionHash: t.hex().notNull(),
  logIndex: t.integer().notNull(),
}));

/**
 * One row per on-chain reason to read metadata again, whatever the size of its range: the serving side finds
 * its work here by set difference. The id sorts in chain order.
 */
export const metadataUpdate = onchainTable("metadata_update", (t) => ({
  id: t.text().primaryKey(),
  chainId: t.int8({ mode: "number" }).notNull(),
  collectionAddress: t.hex().notNull(),
  source: t.text({ enum: ["mint", "first_seen", "MetadataUpdate", "BatchMetadataUpdate", "URI"] }).notNull(),
  fromTokenId: t.bigint().notNull(),
  toTokenId: t.bigint().notNull(),
  scope: t.text({ enum: ["token", "range", "collection", "inverted"] }).notNull(),
  blockNumber: t.bigint().notNull(),
  blockHash: t.hex().notNull(),
  blockTimestamp: t.bigint().notNull(),
  transactionHash: t.hex().notNull(),
  logIndex: t.integer().notNull(),
}));
