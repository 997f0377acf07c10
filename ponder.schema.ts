/** Tables only: indexes that serving needs are made in src/api/chain, since Ponder drops its own at every restart. */

import { onchainTable, primaryKey } from "ponder";
import { lockStandardNames, type SwitchName, switches } from "./src/domain/lock-standards.ts";

/** One column per standard that keeps a switch. */
const switchColumns = <Column>(make: () => Column) =>
  Object.fromEntries(switches.map((name) => [name, make()])) as Record<SwitchName, Column>;

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
    /** ERC-721x locks as a count, plus one per other standard whose own event of the token holds it. */
    lockCount: t.integer().notNull(),
    /** The block in which the count last left zero; null while it is zero. */
    lockedSinceBlock: t.bigint(),
    lastLockChangeBlock: t.bigint(),
    /** The last of TokenLocked and TokenUnlocked, for contracts that keep a boolean; null: neither came. */
    erc721xFlag: t.boolean(),
    /** As `lockedSinceBlock`, of the count that takes `erc721xFlag` in place of the ERC-721x locks. */
    flagLockedSinceBlock: t.bigint(),
    /** By the last event of the token; null: none came, so that ERC-6982 goes by the collection's default. */
    ...switchColumns(() => t.boolean()),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.collectionAddress, table.tokenId] }) }),
);

/** Who holds how much of an ERC-1155 id. A holder of nothing keeps a row with zero. */
export const tokenBalance = onchainTable(
  "token_balance",
  (t) => ({
    chainId: t.int8({ mode: "number" }).notNull(),
    collectionAddress: t.hex().notNull(),
    tokenId: t.bigint().notNull(),
    holder: t.hex().notNull(),
    balance: t.bigint().notNull(),
  }),
  (table) => ({
    pk: primaryKey({ columns: [table.chainId, table.collectionAddress, table.tokenId, table.holder] }),
  }),
);

/**
 * Tokens that one event minted and that have not moved since: each is a token without a row of its own. A row of
 * token_state that has a standard wins over the range it lies in. Ranges of a collection never overlap.
 */
export const tokenRange = onchainTable(
  "token_range",
  (t) => ({
    chainId: t.int8({ mode: "number" }).notNull(),
    collectionAddress: t.hex().notNull(),
    fromTokenId: t.bigint().notNull(),
    toTokenId: t.bigint().notNull(),
    owner: t.hex().notNull(),
    /** The id of the mint's row in token_transfer. */
    transferId: t.text().notNull(),
    mintedBlock: t.bigint().notNull(),
    mintedLog: t.integer().notNull(),
    blockTimestamp: t.bigint().notNull(),
    transactionHash: t.hex().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.collectionAddress, table.fromTokenId] }) }),
);

/** The bounds of a collection's ranges, so that handlers find the range of a token by primary keys. */
export const collectionRanges = onchainTable(
  "collection_ranges",
  (t) => ({
    chainId: t.int8({ mode: "number" }).notNull(),
    collectionAddress: t.hex().notNull(),
    /** JSON: `[["from", "to"], …]`, both included, in the order of the ids. */
    bounds: t.text().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.collectionAddress] }) }),
);

/**
 * One row per movement of a token; those of one event are told apart by the end of the id. The mint of a range is one
 * row, from `tokenId` to `lastTokenId`, and `quantity` says how many tokens.
 */
export const tokenTransfer = onchainTable("token_transfer", (t) => ({
  id: t.text().primaryKey(),
  chainId: t.int8({ mode: "number" }).notNull(),
  collectionAddress: t.hex().notNull(),
  tokenId: t.bigint().notNull(),
  lastTokenId: t.bigint(),
  from: t.hex().notNull(),
  to: t.hex().notNull(),
  quantity: t.bigint().notNull(),
  blockNumber: t.bigint().notNull(),
  blockTimestamp: t.bigint().notNull(),
  transactionHash: t.hex().notNull(),
  logIndex: t.integer().notNull(),
}));

/** How many tokens of a collection exist and how many wallets hold some, kept as they change. */
export const collectionState = onchainTable(
  "collection_state",
  (t) => ({
    chainId: t.int8({ mode: "number" }).notNull(),
    collectionAddress: t.hex().notNull(),
    standard: t.text({ enum: ["erc721", "erc1155"] }).notNull(),
    /** Tokens that exist: minted and not burned. */
    items: t.integer().notNull(),
    owners: t.integer().notNull(),
    /** The collection has ranges. Null and false are the same. */
    hasRanges: t.boolean(),
    /** A Transfer with all three arguments indexed was seen: those in another layout are amounts of a coin then. */
    hasIndexedTransfers: t.boolean(),
    /**
     * JSON: `[["transfer id", "token id"], …]` of transfers in another layout while none has all arguments indexed. They
     * are taken back by the first that has. `[]` once they are too many to be a coin's before its first token.
     */
    doubtfulTransfers: t.text(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.collectionAddress] }) }),
);

/** How many different tokens of a collection a wallet holds; what `owners` is counted by. */
export const collectionHolder = onchainTable(
  "collection_holder",
  (t) => ({
    chainId: t.int8({ mode: "number" }).notNull(),
    collectionAddress: t.hex().notNull(),
    holder: t.hex().notNull(),
    tokens: t.integer().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.collectionAddress, table.holder] }) }),
);

/** Whether tokens without an event of their own are locked, by the last DefaultLocked (ERC-6982). */
export const lockDefault = onchainTable(
  "lock_default",
  (t) => ({
    chainId: t.int8({ mode: "number" }).notNull(),
    collectionAddress: t.hex().notNull(),
    standard: t.text({ enum: lockStandardNames }).notNull(),
    locked: t.boolean().notNull(),
    /** The block from which it is locked without a break; null while it is not. */
    lockedSinceBlock: t.bigint(),
    lastLockChangeBlock: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.collectionAddress, table.standard] }) }),
);

/** The audit of locks: one row per event of a lock standard, and per lock that a transfer ended, with the count after it. */
export const lockEvent = onchainTable("lock_event", (t) => ({
  id: t.text().primaryKey(),
  chainId: t.int8({ mode: "number" }).notNull(),
  collectionAddress: t.hex().notNull(),
  /** Null for a DefaultLocked, which is about all tokens of the collection without an event of their own. */
  tokenId: t.bigint(),
  standard: t.text({ enum: lockStandardNames }).notNull(),
  direction: t.text({ enum: ["lock", "unlock"] }).notNull(),
  /** Who locked or unlocked, or may unlock; null where the event names nobody. */
  approvedContract: t.hex(),
  /** The token's `lockCount`; of a default, 1 or 0. */
  countAfter: t.integer().notNull(),
  /** The same with the ERC-721x events as a switch, for contracts that keep a boolean. */
  flagCountAfter: t.integer().notNull(),
  /** No event of the token's own stood against the collection's default, which no count has in it. */
  followsDefault: t.boolean().notNull(),
  /** True for a TokenUnlocked that no TokenLocked came before, which changes no count. */
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
  /** `taken_back`: transfers were taken for the token's that were a coin's. */
  source: t
    .text({ enum: ["mint", "first_seen", "taken_back", "MetadataUpdate", "BatchMetadataUpdate", "URI"] })
    .notNull(),
  fromTokenId: t.bigint().notNull(),
  toTokenId: t.bigint().notNull(),
  scope: t.text({ enum: ["token", "range", "collection", "inverted"] }).notNull(),
  blockNumber: t.bigint().notNull(),
  blockHash: t.hex().notNull(),
  blockTimestamp: t.bigint().notNull(),
  transactionHash: t.hex().notNull(),
  logIndex: t.integer().notNull(),
}));

/** Delegations of delegate registry v2, one row per hash; the last event wins. Revoked ones stay, disabled. */
export const delegation = onchainTable(
  "delegation",
  (t) => ({
    chainId: t.int8({ mode: "number" }).notNull(),
    hash: t.hex().notNull(),
    type: t.text({ enum: ["ALL", "CONTRACT", "ERC721", "ERC20", "ERC1155"] }).notNull(),
    from: t.hex().notNull(),
    to: t.hex().notNull(),
    rights: t.hex().notNull(),
    contract: t.hex(),
    tokenId: t.bigint(),
    amount: t.bigint(),
    enabled: t.boolean().notNull(),
    blockNumber: t.bigint().notNull(),
    blockTimestamp: t.bigint().notNull(),
    transactionHash: t.hex().notNull(),
    logIndex: t.integer().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.hash] }) }),
);

/**
 * What the chain said and the index could not take in full: one row per collection and kind, however often it happens.
 * What is told in detail is the first time.
 */
export const indexAnomaly = onchainTable(
  "index_anomaly",
  (t) => ({
    chainId: t.int8({ mode: "number" }).notNull(),
    collectionAddress: t.hex().notNull(),
    kind: t
      .text({
        enum: [
          "consecutive_transfer_cut",
          "unreadable_transfer",
          "unreadable_metadata_update",
          "unreadable_lock",
          "mixed_transfer_layouts",
          "overlapping_range",
        ],
      })
      .notNull(),
    /** How many logs; it stops at 2^31-1. */
    count: t.integer().notNull(),
    firstBlock: t.bigint().notNull(),
    lastBlock: t.bigint().notNull(),
    detail: t.text().notNull(),
    blockTimestamp: t.bigint().notNull(),
    transactionHash: t.hex().notNull(),
    logIndex: t.integer().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.collectionAddress, table.kind] }) }),
);
