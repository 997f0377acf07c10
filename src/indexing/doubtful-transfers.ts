/**
 * A contract that is both a coin and a collection (ERC-404) emits Transfer in two layouts: all arguments indexed for a
 * token, the third in the data for an amount, often before its first token. AxieCore and others use the second layout
 * for tokens and never the first. So other layouts count as token transfers until one arrives with all arguments
 * indexed.
 */

import type { Context } from "ponder:registry";
import { collectionState, tokenState, tokenTransfer } from "ponder:schema";
import { recordAnomaly } from "./anomalies.ts";
import { countMovement } from "./collection-counts.ts";
import { type ChainEvent, collectionKey } from "./event-row.ts";
import { recordTrigger } from "./metadata-updates.ts";
import { tokenKey } from "./token-key.ts";
import { findRanged } from "./token-ranges.ts";

// A coin emits few amounts before its first token; a collection emits many token transfers.
const DOUBTFUL_MAX = 100;
const SETTLED = "[]";

type Doubtful = readonly (readonly [transferId: string, tokenId: string])[];

/** Records a transfer in another layout than ERC-721's, for a collection without any transfer in that layout. */
export async function recordDoubtful(event: ChainEvent, context: Context, tokenId: bigint): Promise<void> {
  const entry = [event.id, String(tokenId)] as const;
  await context.db
    .insert(collectionState)
    .values({
      ...collectionKey(event, context),
      standard: "erc721",
      items: 0,
      owners: 0,
      doubtfulTransfers: JSON.stringify([entry]),
    })
    .onConflictDoUpdate((row) => {
      if (row.doubtfulTransfers === SETTLED) return {};
      const before = JSON.parse(row.doubtfulTransfers ?? "[]") as Doubtful;
      const isSettled = before.length >= DOUBTFUL_MAX;
      return { doubtfulTransfers: isSettled ? SETTLED : JSON.stringify([...before, entry]) };
    });
}

/**
 * Reverts the transfers that were mistaken for token transfers, except those of `except`, the token of the current
 * event. `doubtful` is the value stored in the collection's row.
 */
export async function retractDoubtful(
  event: ChainEvent,
  context: Context,
  doubtful: string,
  except: bigint,
): Promise<void> {
  const transfers = (JSON.parse(doubtful) as Doubtful).filter(([, tokenId]) => BigInt(tokenId) !== except);
  const tokenIds = [...new Set(transfers.map(([, tokenId]) => tokenId))];
  for (const [id] of transfers) await context.db.delete(tokenTransfer, { id });
  for (const [part, tokenId] of tokenIds.entries()) await revertToken(event, context, BigInt(tokenId), part);
  for (const [, tokenId] of transfers) {
    const detail = `a Transfer of ${tokenId} in another layout than the collection's tokens: likely an amount of a coin`;
    await recordAnomaly(event, context, "mixed_transfer_layouts", detail);
  }
}

async function revertToken(
  event: ChainEvent,
  context: Context,
  tokenId: bigint,
  part: number,
): Promise<void> {
  const key = tokenKey(event, context, tokenId);
  const row = await context.db.find(tokenState, key);
  if (row?.standard !== "erc721") return;
  const { burned, owner, lastLockChangeBlock } = row;
  if (lastLockChangeBlock === null) await context.db.delete(tokenState, key);
  else {
    await context.db.update(tokenState, key).set({
      standard: null,
      owner: null,
      mintedBlock: null,
      mintedLog: null,
      burned: false,
      burnedBlock: null,
      burnedLog: null,
    });
  }
  // Without a transfer of its own, a token of a range is again as it was minted.
  const ranged = await findRanged(event, context, tokenId);
  await countMovement(event, context, "erc721", {
    items: Number(ranged !== undefined) - Number(!burned),
    takenFrom: owner ?? undefined,
    givenTo: ranged?.owner,
  });
  // The suffix can't collide: the parts of the event's own movements are numbers.
  const at = { from: tokenId, to: tokenId, part: `retracted-${part}` };
  await recordTrigger(event, context, { source: "retracted", ...at });
}
