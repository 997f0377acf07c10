/** ERC-2309: one event moves many tokens. Small ones are expanded token by token; a large mint becomes a range. */

import { type Context, ponder } from "ponder:registry";
import { expansionAllowance } from "ponder:schema";
import { zeroAddress } from "viem";
import { type ConsecutiveLog, readConsecutive } from "../domain/token-logs.ts";
import { recordAnomaly, unreadable } from "./anomalies.ts";
import { countMovement } from "./collection-counts.ts";
import { moveToken } from "./erc721.ts";
import { type ChainEvent, collectionKey, rowId } from "./event-row.ts";
import { recordMovement } from "./movements.ts";
import { outside, readOwnParts } from "./own-ids.ts";
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
  const all: Bounds = [first, last];
  const isMint = from === zeroAddress && to !== zeroAddress;
  const ranges = isMint ? await readRanges(event, context) : [];
  if (overlaps(ranges, all)) {
    const detail = `tokens ${first} to ${last} were minted, some of which are in a range that was minted before`;
    return recordAnomaly(event, context, "overlapping_range", detail);
  }
  const allowance = await readAllowance(event, context);
  const allowed = allowance < EXPANDED_MAX ? allowance : EXPANDED_MAX;
  const count = countOf(all);
  const isLarge = isMint && count > allowed && count <= RANGE_MAX;
  // Tokens that may have a row of their own would not follow the range.
  let single = isLarge ? await readOwnParts(event, context, all) : [all];
  const whole = outside(all, single);
  if (ranges.length + whole.length <= RANGES_MAX) await mintRanges(event, context, ranges, moved, whole);
  else single = [all];

  let left = allowed;
  const cut: Bounds[] = [];
  for (const part of single) {
    const expanded = countOf(part) < left ? countOf(part) : left;
    const end = part[0] + expanded;
    await expand(event, context, moved, [part[0], end - 1n]);
    left -= expanded;
    if (end <= part[1]) cut.push([end, part[1]]);
  }
  if (left < allowed) await writeAllowance(event, context, allowance - (allowed - left));
  if (cut.length === 0) return;
  const ids = cut.map(([from, to]) => (to === last ? `from ${from} on` : `from ${from} to ${to}`));
  const detail = `tokens ${first} to ${last} moved in one event; those ${ids.join(", ")} are not indexed`;
  await recordAnomaly(event, context, "consecutive_transfer_cut", detail);
});

const countOf = ([first, last]: Bounds): bigint => last - first + 1n;

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

/** A suffix of row ids: several parts of one event never start with the same token. */
const partOf = ({ first }: ConsecutiveLog, tokenId: bigint): number => Number(tokenId - first);

async function expand(
  event: ChainEvent,
  context: Context,
  moved: ConsecutiveLog,
  [first, last]: Bounds,
): Promise<void> {
  const { from, to } = moved;
  for (let tokenId = first; tokenId <= last; tokenId++) {
    await moveToken(event, context, { from, to, tokenId, quantity: 1n, part: partOf(moved, tokenId) });
  }
}

/** Writes one row for each of `parts` as a whole, and one of each other kind that a single mint writes. */
async function mintRanges(
  event: ChainEvent,
  context: Context,
  ranges: readonly Bounds[],
  moved: ConsecutiveLog,
  parts: readonly Bounds[],
): Promise<void> {
  const { from, to } = moved;
  let known = ranges;
  for (const bounds of parts) {
    const [first, last] = bounds;
    const quantity = countOf(bounds);
    // The only range of an event has its id.
    const part = quantity === countOf([moved.first, moved.last]) ? undefined : partOf(moved, first);
    known = await addRange(event, context, known, { bounds, owner: to, transferId: rowId(event, part) });
    await recordMovement(
      event,
      context,
      { from, to, tokenId: first, lastTokenId: last, quantity, part },
      true,
    );
    const count = Number(quantity);
    await countMovement(event, context, "erc721", {
      items: count,
      givenTo: to,
      tokens: count,
      hasRanges: true,
    });
  }
}
