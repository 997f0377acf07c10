/** Tables only: src/api/chain creates the indexes for serving, because Ponder drops its own at every restart. */

import { onchainTable, primaryKey } from "ponder";
import { lockStandardNames, type SwitchName, switches } from "./src/domain/lock-standards.ts";

/** One column per standard of kind `switch`. */
const switchColumns = <Column>(make: () => Column) =>
  Object.fromEntries(switches.map((name) => [name, make()])) as Record<SwitchName, Column>;

/** One row per token seen on the chain. `owner` applies to ERC-721, `supply` to ERC-1155. */
export const tokenState = onchainTable(
  "token_state",
  (t) => ({
    chainId: t.int8({ mode: "number" }).notNull(),
    collectionAddress: t.hex().notNull(),
    tokenId: t.bigint().notNull(),
    /** Set by the first transfer; null while only other events have named the token. */
    standard: t.text({ enum: ["erc721", "erc1155"] }),
    owner: t.hex(),
    supply: t.bigint(),
    mintedBlock: t.bigint(),
    mintedLog: t.integer(),
    burned: t.boolean().notNull(),
    burnedBlock: t.bigint(),
    burnedLog: t.integer(),
    /** ERC-721x locks as a count, plus one for each other standard whose last event for this token locked it. */
    lockCount: t.integer().notNull(),
    /** The block in which the count last left zero; null while it is zero. */
    lockedSinceBlock: t.bigint(),
    lastLockChangeBlock: t.bigint(),
    /** The last of TokenLocked and TokenUnlocked, for contracts that store a boolean; null if neither was emitted. */
    erc721xFlag: t.boolean(),
    /** Like `lockedSinceBlock`, for the count that uses `erc721xFlag` instead of the ERC-721x locks. */
    flagLockedSinceBlock: t.bigint(),
    /** Set by the token's last event; null if there was none, in which case ERC-6982 uses the collection's default. */
    ...switchColumns(() => t.boolean()),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.collectionAddress, table.tokenId] }) }),
);

/** Balances per ERC-1155 id and holder. A holder whose balance drops to zero keeps a row with zero. */
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
 * Tokens minted by one event that have not moved since, and so have no row of their own. A token_state row with a
 * standard overrides the range that contains it. Ranges of a collection never overlap.
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

/** The bounds of a collection's ranges, so that handlers find a token's range by primary key. */
export const collectionRanges = onchainTable(
  "collection_ranges",
  (t) => ({
    chainId: t.int8({ mode: "number" }).notNull(),
    collectionAddress: t.hex().notNull(),
    /** JSON: `[["from", "to"], …]`, inclusive, ordered by id. */
    bounds: t.text().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.collectionAddress] }) }),
);

/** What remains of a collection's allowance for ConsecutiveTransfer events that are expanded token by token. */
export const expansionAllowance = onchainTable(
  "expansion_allowance",
  (t) => ({
    chainId: t.int8({ mode: "number" }).notNull(),
    collectionAddress: t.hex().notNull(),
    /** Tokens left after the collection's last such event. */
    tokens: t.integer().notNull(),
    blockTimestamp: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.collectionAddress] }) }),
);

/**
 * One row per movement of a token; a suffix of the id distinguishes those of one event. The mint of a range is one row,
 * from `tokenId` to `lastTokenId`, and `quantity` is the number of tokens.
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

/** The number of existing tokens and of wallets with at least one, per collection, updated with each transfer. */
export const collectionState = onchainTable(
  "collection_state",
  (t) => ({
    chainId: t.int8({ mode: "number" }).notNull(),
    collectionAddress: t.hex().notNull(),
    standard: t.text({ enum: ["erc721", "erc1155"] }).notNull(),
    /** Existing tokens: minted and not burned. */
    items: t.integer().notNull(),
    owners: t.integer().notNull(),
    /** Whether the collection has ranges. Null means false. */
    hasRanges: t.boolean(),
    /** A Transfer with all three arguments indexed was seen. From then on, other layouts are amounts of a coin. */
    hasIndexedTransfers: t.boolean(),
    /**
     * JSON: `[["transfer id", "token id"], …]` of transfers in another layout, while none has all arguments indexed;
     * the first that does reverts them. `[]` once there are too many for a coin that has no token yet.
     */
    doubtfulTransfers: t.text(),
    /** JSON: `[["from", "to"], …]`, inclusive, with every token that got its row outside all ranges, and maybe others. */
    ownIds: t.text(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.collectionAddress] }) }),
);

/** The number of distinct tokens of a collection in a wallet; `owners` is derived from it. */
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

/** Whether tokens without a lock event of their own are locked, from the last DefaultLocked (ERC-6982). */
export const lockDefault = onchainTable(
  "lock_default",
  (t) => ({
    chainId: t.int8({ mode: "number" }).notNull(),
    collectionAddress: t.hex().notNull(),
    standard: t.text({ enum: lockStandardNames }).notNull(),
    locked: t.boolean().notNull(),
    /** The block since which the default has been locked without interruption; null while unlocked. */
    lockedSinceBlock: t.bigint(),
    lastLockChangeBlock: t.bigint().notNull(),
  }),
  (table) => ({ pk: primaryKey({ columns: [table.chainId, table.collectionAddress, table.standard] }) }),
);

/** The audit log of locks: one row per lock event, and per lock ended by a transfer, with the count after it. */
export const lockEvent = onchainTable("lock_event", (t) => ({
  id: t.text().primaryKey(),
  chainId: t.int8({ mode: "number" }).notNull(),
  collectionAddress: t.hex().notNull(),
  /** Null for a DefaultLocked, which applies to all tokens of the collection without an event of their own. */
  tokenId: t.bigint(),
  /** The ERC-721 token's owner before the event; null for a default, an ERC-1155 token and an unknown owner. */
  holder: t.hex(),
  standard: t.text({ enum: lockStandardNames }).notNull(),
  direction: t.text({ enum: ["lock", "unlock"] }).notNull(),
  /** Who locked or unlocked, or may unlock; null if the event names nobody. */
  approvedContract: t.hex(),
  /** The token's `lockCount`; for a default, 1 or 0. */
  countAfter: t.integer().notNull(),
  /** The same count with the ERC-721x events as a switch, for contracts that store a boolean. */
  flagCountAfter: t.integer().notNull(),
  /** The token has no event of its own that overrides the collection's default. Neither count includes the default. */
  followsDefault: t.boolean().notNull(),
  /** True for a TokenUnlocked without a preceding TokenLocked; it changes no count. */
  anomaly: t.boolean().notNull(),
  blockNumber: t.bigint().notNull(),
  blockTimestamp: t.bigint().notNull(),
  transactionHash: t.hex().notNull(),
  logIndex: t.integer().notNull(),
}));

/**
 * One row per on-chain reason to read metadata again, whatever the size of its range. The API side finds new rows by
 * set difference. Ids sort in chain order.
 */
export const metadataUpdate = onchainTable("metadata_update", (t) => ({
  id: t.text().primaryKey(),
  chainId: t.int8({ mode: "number" }).notNull(),
  collectionAddress: t.hex().notNull(),
  /** `retracted`: transfers attributed to the token turned out to be amounts of a coin. */
  source: t
    .text({ enum: ["mint", "first_seen", "retracted", "MetadataUpdate", "BatchMetadataUpdate", "URI"] })
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

/** Delegations of delegate registry v2, one row per hash; the last event wins. Revoked delegations stay, disabled. */
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
 * Logs that the handlers could not apply in full: one row per collection and kind, however often it happens. The detail
 * describes the first occurrence.
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
    /** The number of logs, capped at 2^31-1. */
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
