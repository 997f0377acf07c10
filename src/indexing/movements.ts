/** What both standards record for a movement: the transfer, and a refresh trigger if the token is new. */

import type { Context } from "ponder:registry";
import { tokenTransfer } from "ponder:schema";
import { zeroAddress } from "viem";
import { type ChainEvent, collectionKey, provenance, rowId } from "./event-row.ts";
import { recordTrigger } from "./metadata-updates.ts";

export interface Movement {
  readonly from: `0x${string}`;
  readonly to: `0x${string}`;
  readonly tokenId: bigint;
  /** Set for a range that starts at `tokenId`. */
  readonly lastTokenId?: bigint;
  readonly quantity: bigint;
  readonly part?: number | undefined;
}

/** `isNew`: the token had no transfer so far, or it returns after a burn. Its metadata must be fetched. */
export async function recordMovement(
  event: ChainEvent,
  context: Context,
  movement: Movement,
  isNew: boolean,
): Promise<void> {
  const { from, to, tokenId, lastTokenId, quantity, part } = movement;
  await context.db.insert(tokenTransfer).values({
    id: rowId(event, part),
    ...collectionKey(event, context),
    tokenId,
    lastTokenId: lastTokenId ?? null,
    from,
    to,
    quantity,
    ...provenance(event),
  });
  if (!isNew) return;
  const source = from === zeroAddress ? "mint" : "first_seen";
  await recordTrigger(event, context, { source, from: tokenId, to: lastTokenId ?? tokenId, part });
}
