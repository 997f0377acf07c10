/** What both standards record of a movement: the transfer itself, and a cause when the token is new. */

import type { Context } from "ponder:registry";
import { tokenTransfer } from "ponder:schema";
import { zeroAddress } from "viem";
import { type ChainEvent, collectionKey, provenance, rowId } from "./event-row.ts";
import { recordTrigger } from "./metadata-updates.ts";

export interface Movement {
  readonly from: `0x${string}`;
  readonly to: `0x${string}`;
  readonly tokenId: bigint;
  /** Of a range, whose first token is `tokenId`. */
  readonly lastTokenId?: bigint;
  readonly quantity: bigint;
  readonly part?: number | undefined;
}

/** `isNew` for a token that no transfer had told of, or that comes back after a burn: its metadata is to be read. */
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
