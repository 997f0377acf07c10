/** Item and owner counts per collection, updated with each transfer so that reading them takes one row. */

import type { Context } from "ponder:registry";
import { collectionHolder, collectionState } from "ponder:schema";
import { zeroAddress } from "viem";
import { type ChainEvent, collectionKey } from "./event-row.ts";
import { addOwnId, firstOwnId } from "./own-ids.ts";

type Standard = "erc721" | "erc1155";

/** The change one movement makes to a collection: existing tokens, and the wallets whose holdings change. */
export interface CountChange {
  readonly items: number;
  readonly takenFrom?: `0x${string}` | undefined;
  readonly givenTo?: `0x${string}` | undefined;
  /** The number of tokens transferred; 1 by default. */
  readonly tokens?: number;
  /** The movement is a Transfer with all arguments indexed. */
  readonly isIndexed?: boolean;
  /** The movement created a range of tokens. */
  readonly hasRanges?: boolean;
  /** The token, if this is its first transfer and no range contains it. */
  readonly ownId?: bigint | undefined;
}

// The limit of the column type. A contract may mint ranges of a million as often as it can pay for.
const COUNT_MAX = 2 ** 31 - 1;
const bounded = (count: number): number => Math.max(0, Math.min(count, COUNT_MAX));

/**
 * Counts a movement. The zero address is no holder. If this is the collection's first Transfer with all arguments
 * indexed, returns the doubtful transfers stored in its row; otherwise null.
 */
export async function countMovement(
  event: ChainEvent,
  context: Context,
  standard: Standard,
  { items, takenFrom, givenTo, tokens = 1, isIndexed = false, hasRanges = false, ownId }: CountChange,
): Promise<string | null> {
  let owners = 0;
  if (takenFrom !== undefined) owners += await changeHolding(event, context, takenFrom, -tokens);
  if (givenTo !== undefined) owners += await changeHolding(event, context, givenTo, tokens);
  // Most movements change nothing here, and need no write.
  const isCounted = items !== 0 || owners !== 0 || ownId !== undefined;
  if (!isCounted && !(isIndexed && (await isFirstIndexed(event, context)))) return null;
  let doubtful: string | null = null;
  await context.db
    .insert(collectionState)
    .values({
      ...collectionKey(event, context),
      standard,
      items: bounded(items),
      owners: Math.max(0, owners),
      hasIndexedTransfers: isIndexed,
      hasRanges,
      ownIds: ownId === undefined ? null : firstOwnId(ownId),
    })
    .onConflictDoUpdate((row) => {
      if (isIndexed) doubtful = row.doubtfulTransfers;
      return {
        standard,
        items: bounded(row.items + items),
        owners: Math.max(0, row.owners + owners),
        hasIndexedTransfers: isIndexed || row.hasIndexedTransfers,
        hasRanges: hasRanges || row.hasRanges,
        ...(doubtful !== null && { doubtfulTransfers: null }),
        ...(ownId !== undefined && { ownIds: addOwnId(row.ownIds, ownId) }),
      };
    });
  return doubtful;
}

async function isFirstIndexed(event: ChainEvent, context: Context): Promise<boolean> {
  const row = await context.db.find(collectionState, collectionKey(event, context));
  return !row?.hasIndexedTransfers;
}

/** Returns the change in the number of owners. */
async function changeHolding(
  event: ChainEvent,
  context: Context,
  holder: `0x${string}`,
  by: number,
): Promise<-1 | 0 | 1> {
  if (holder === zeroAddress) return 0;
  const tokens = { before: 0, after: Math.max(0, by) };
  await context.db
    .insert(collectionHolder)
    .values({ ...collectionKey(event, context), holder, tokens: tokens.after })
    .onConflictDoUpdate((row) => {
      tokens.before = row.tokens;
      tokens.after = bounded(row.tokens + by);
      return { tokens: tokens.after };
    });
  if (tokens.before === 0 && tokens.after > 0) return 1;
  return tokens.before > 0 && tokens.after === 0 ? -1 : 0;
}
