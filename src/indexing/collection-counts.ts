/** Item and owner counts per collection, kept as tokens move, so that reading them costs one row. */

import type { Context } from "ponder:registry";
import { collectionHolder, collectionState } from "ponder:schema";
import { zeroAddress } from "viem";
import { type ChainEvent, collectionKey } from "./event-row.ts";

type Standard = "erc721" | "erc1155";
type Difference = -1 | 0 | 1;

/** A token came into being or ceased to be. */
export async function countItems(
  event: ChainEvent,
  context: Context,
  standard: Standard,
  by: Difference,
): Promise<void> {
  await changeCounts(event, context, standard, by, 0);
}

/** A wallet holds one more or one fewer of the collection's tokens. The zero address holds nothing. */
export async function countHolding(
  event: ChainEvent,
  context: Context,
  standard: Standard,
  holder: `0x${string}`,
  by: 1 | -1,
): Promise<void> {
  if (holder === zeroAddress) return;
  const tokens = { before: 0, after: Math.max(0, by) };
  await context.db
    .insert(collectionHolder)
    .values({ ...collectionKey(event, context), holder, tokens: tokens.after })
    .onConflictDoUpdate((row) => {
      tokens.before = row.tokens;
      tokens.after = Math.max(0, row.tokens + by);
      return { tokens: tokens.after };
    });
  if (tokens.before === 0 && tokens.after > 0) await changeCounts(event, context, standard, 0, 1);
  if (tokens.before > 0 && tokens.after === 0) await changeCounts(event, context, standard, 0, -1);
}

async function changeCounts(
  event: ChainEvent,
  context: Context,
  standard: Standard,
  items: Difference,
  owners: Difference,
): Promise<void> {
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
