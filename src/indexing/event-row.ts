/** The columns that identify the event behind a row. */

import type { Context, Event } from "ponder:registry";

/** The part of an event that rows need; handler tests construct it by hand. */
export type ChainEvent = Pick<Event<"Collection:Transfer">, "id" | "block" | "transaction" | "log">;

/** Chain and contract, the prefix of every primary key. Ponder returns addresses in lower case. */
export const collectionKey = (event: ChainEvent, context: Context) => ({
  chainId: context.chain.id,
  collectionAddress: event.log.address,
});

// A batch has room for fewer ids, and a range of ERC-2309 for a million tokens.
const PART_DIGITS = 6;

/**
 * The key of a row per event; `part` distinguishes the rows of one event, such as the ids of a batch. Keys sort by their
 * characters as the parts do by number.
 */
export const rowId = (event: ChainEvent, part?: number | string): string =>
  part === undefined ? event.id : `${event.id}-${String(part).padStart(PART_DIGITS, "0")}`;

export const provenance = (event: ChainEvent) => ({
  blockNumber: event.block.number,
  blockTimestamp: event.block.timestamp,
  transactionHash: event.transaction.hash,
  logIndex: event.log.logIndex,
});
