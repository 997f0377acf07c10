/** Item and owner counts per collection, kept as tokens move, so that reading them costs one row. */

import type { Context } from "ponder:registry";
import { collectionHolder, collectionState } from "ponder:schema";
import { zeroAddress } from "viem";
import { type ChainEvent, collectionKey } from "./event-row.ts";

type Standard = "erc721" | "erc1155";
type Difference = -1 | 0 | 1;

/** What one movement changes in a collection: tokens that exist, and the wallets that hold one more or one fewer. */
export interface CountChange {
  readonly items: Difference;
  readonly takenFrom?: `0x${string}` | undefined;
  readonly givenTo?: `0x${string}` | undefined;
}

/** Counts a movement. The zero address holds nothing. */
export async function countMovement(
  event: ChainEvent,
  context: Context,
  standard: Standard,
  { items, takenFrom, givenTo }: CountChange,
): Promise<void> {
  let owners = 0;
  if (takenFrom !== undefined) owners += await changeHolding(event, context, takenFrom, -1);
  if (givenTo !== undefined) owners += await changeHolding(event, context, givenTo, 1);
  if (items === 0 && owners === 0) return;
  await context.db
    .insert(collectionState)
    .values({
      ...collectionKey(event, context),
      standard,
      items: Math.max(0, items),
      owners: Math.max(0, owners),
    })
    .onConflictDoUpdate((row) => ({
      standard,
      items: Math.max(0, row.items + items),
      owners: Math.max(0, row.owners + owners),
    }));
}

/** Answers the difference that it makes to the number of owners. */
async function changeHolding(
  event: ChainEvent,
  context: Context,
  holder: `0x${string}`,
  by: 1 | -1,
): Promise<Difference> {
  if (holder === zeroAddress) return 0;
  const tokens = { before: 0, after: Math.max(0, by) };
  await context.db
    .insert(collectionHolder)
    .values({ ...collectionKey(event, context), holder, tokens: tokens.after })
    .onConflictDoUpdate((row) => {
      tokens.before = row.tokens;
      tokens.after = Math.max(0, row.tokens + by);
      return { tokens: tokens.after };
    });
  if (tokens.before === 0 && tokens.after > 0) return 1;
  return tokens.before > 0 && tokens.after === 0 ? -1 : 0;
}
