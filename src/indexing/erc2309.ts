/** ERC-2309: one event moves many tokens. Small ones are expanded token by token; a large mint becomes a range. */

import { type Context, ponder } from "ponder:registry";
import { zeroAddress } from "viem";
import { type ConsecutiveLog, readConsecutive } from "../domain/token-logs.ts";
import { recordAnomaly, unreadable } from "./anomalies.ts";
import { countMovement } from "./collection-counts.ts";
import { moveToken } from "./erc721.ts";
import type { ChainEvent } from "./event-row.ts";
import { recordMovement } from "./movements.ts";
import { addRange, type Bounds, overlaps, RANGES_MAX, readRanges } from "./token-ranges.ts";

// The most that ERC721A mints in one event.
const EXPANDED_MAX = 5_000n;
// A contract may claim 2^256 tokens in one log, and every indexed token is fetched, searched and counted.
const RANGE_MAX = 1_000_000n;

ponder.on("Collection:ConsecutiveTransfer(uint256,uint256,address,address)", async ({ event, context }) => {
  const moved = readConsecutive(event.log);
  if (!moved || moved.first > moved.last) {
    const detail = moved
      ? `a ConsecutiveTransfer from ${moved.first} down to ${moved.last} moves nothing`
      : unreadable("ConsecutiveTransfer", event);
    return recordAnomaly(event, context, "unreadable_transfer", detail);
  }
  const { first, last, from, to } = moved;
  const count = last - first + 1n;
  const isMint = from === zeroAddress && to !== zeroAddress;
  const ranges = isMint ? await readRanges(event, context) : [];
  if (overlaps(ranges, [first, last])) {
    const detail = `tokens ${first} to ${last} were minted, some of which are in a range that was minted before`;
    return recordAnomaly(event, context, "overlapping_range", detail);
  }
  if (isMint && count > EXPANDED_MAX && count <= RANGE_MAX && ranges.length < RANGES_MAX) {
    return mintRange(event, context, ranges, moved);
  }
  await expand(event, context, { ...moved, last: count > EXPANDED_MAX ? first + EXPANDED_MAX - 1n : last });
  if (count <= EXPANDED_MAX) return;
  const detail = `tokens ${first} to ${last} moved in one event; those from ${first + EXPANDED_MAX} on are not indexed`;
  await recordAnomaly(event, context, "consecutive_transfer_cut", detail);
});

async function expand(
  event: ChainEvent,
  context: Context,
  { first, last, from, to }: ConsecutiveLog,
): Promise<void> {
  for (let tokenId = first; tokenId <= last; tokenId++) {
    await moveToken(event, context, { from, to, tokenId, quantity: 1n, part: Number(tokenId - first) });
  }
}

/** Writes one row for the whole range, and one of each other kind that a single mint writes. */
async function mintRange(
  event: ChainEvent,
  context: Context,
  ranges: readonly Bounds[],
  { first, last, from, to }: ConsecutiveLog,
): Promise<void> {
  const quantity = last - first + 1n;
  await addRange(event, context, ranges, { bounds: [first, last], owner: to });
  await recordMovement(event, context, { from, to, tokenId: first, lastTokenId: last, quantity }, true);
  const count = Number(quantity);
  await countMovement(event, context, "erc721", {
    items: count,
    givenTo: to,
    tokens: count,
    hasRanges: true,
  });
}
