/** ERC-2309: one event moves many tokens. Small ones are expanded token by token; a large mint becomes a range. */

import { type Context, ponder } from "ponder:registry";
import { expansionAllowance } from "ponder:schema";
import { zeroAddress } from "viem";
import { type ConsecutiveLog, readConsecutive } from "../domain/token-logs.ts";
import { recordAnomaly, unreadable } from "./anomalies.ts";
import { countMovement } from "./collection-counts.ts";
import { moveToken } from "./erc721.ts";
import { type ChainEvent, collectionKey } from "./event-row.ts";
import { recordMovement } from "./movements.ts";
import { addRange, type Bounds, overlaps, RANGES_MAX, readRanges } from "./token-ranges.ts";

// The most that ERC721A mints in one event.
const EXPANDED_MAX = 5_000n;
// A token costs its contract less than one gas, and us five rows. What a collection may have expanded at once takes some
// seconds, and what it may have later a twentieth of a core.
const ALLOWANCE_MAX = 2n * EXPANDED_MAX;
const ALLOWANCE_PER_SECOND = 100n;
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
  const allowance = await readAllowance(event, context);
  const allowed = allowance < EXPANDED_MAX ? allowance : EXPANDED_MAX;
  if (isMint && count > allowed && count <= RANGE_MAX && ranges.length < RANGES_MAX) {
    return mintRange(event, context, ranges, moved);
  }
  const expanded = count < allowed ? count : allowed;
  await expand(event, context, { ...moved, last: first + expanded - 1n });
  await writeAllowance(event, context, allowance - expanded);
  if (expanded === count) return;
  const detail = `tokens ${first} to ${last} moved in one event; those from ${first + expanded} on are not indexed`;
  await recordAnomaly(event, context, "consecutive_transfer_cut", detail);
});

/**
 * How many tokens of the collection may be expanded now: at most 10,000, and 100 more with each second of the chain's time.
 * At least one, so that a contract may use the event for every single transfer.
 */
async function readAllowance(event: ChainEvent, context: Context): Promise<bigint> {
  const row = await context.db.find(expansionAllowance, collectionKey(event, context));
  if (!row) return ALLOWANCE_MAX;
  const seconds = event.block.timestamp - row.blockTimestamp;
  const tokens = BigInt(row.tokens) + seconds * ALLOWANCE_PER_SECOND;
  return tokens > ALLOWANCE_MAX ? ALLOWANCE_MAX : tokens > 1n ? tokens : 1n;
}

async function writeAllowance(event: ChainEvent, context: Context, left: bigint): Promise<void> {
  const values = { tokens: Number(left), blockTimestamp: event.block.timestamp };
  await context.db
    .insert(expansionAllowance)
    .values({ ...collectionKey(event, context), ...values })
    .onConflictDoUpdate(values);
}

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
