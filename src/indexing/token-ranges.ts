/** Mints of thousands of tokens in one event (ERC-2309), kept as one row until a token of them is touched. */

import type { Context } from "ponder:registry";
import { collectionRanges, collectionState, tokenRange, tokenState } from "ponder:schema";
import { type ChainEvent, collectionKey } from "./event-row.ts";
import { tokenKey, untouched } from "./token-key.ts";

/** Handlers read the bounds of all ranges of a collection at once. */
export const RANGES_MAX = 1_000;

/** A token of a range, as the range's mint left it. */
export interface RangedToken {
  readonly owner: `0x${string}`;
  readonly mintedBlock: bigint;
  readonly mintedLog: number;
}

/** First and last token id. */
export type Bounds = readonly [first: bigint, last: bigint];

/** The bounds of a collection's ranges, in the order of the ids. Costs nothing more where a collection has none. */
export async function readRanges(event: ChainEvent, context: Context): Promise<readonly Bounds[]> {
  const key = collectionKey(event, context);
  const collection = await context.db.find(collectionState, key);
  if (!collection?.hasRanges) return [];
  const row = await context.db.find(collectionRanges, key);
  return (JSON.parse(row?.bounds ?? "[]") as [string, string][]).map(([first, last]) => [
    BigInt(first),
    BigInt(last),
  ]);
}

/** The range that a token lies in, by its bounds; ranges don't overlap. */
export function rangeOf(ranges: readonly Bounds[], tokenId: bigint): Bounds | undefined {
  let [from, to] = [0, ranges.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if ((ranges[middle]?.[1] ?? 0n) < tokenId) from = middle + 1;
    else to = middle;
  }
  const found = ranges[from];
  return found && found[0] <= tokenId ? found : undefined;
}

/** Whether tokens of `bounds` are in one of the ranges. */
export const overlaps = (ranges: readonly Bounds[], [first, last]: Bounds): boolean =>
  ranges.some(([from, to]) => from <= last && first <= to);

/** Adds a range that overlaps none of `ranges`, which are all that the collection has. */
export async function addRange(
  event: ChainEvent,
  context: Context,
  ranges: readonly Bounds[],
  { bounds, owner }: { readonly bounds: Bounds; readonly owner: `0x${string}` },
): Promise<void> {
  const [first, last] = bounds;
  const key = collectionKey(event, context);
  const all = [...ranges, bounds].sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify(all.map((each) => each.map(String)));
  const range = {
    toTokenId: last,
    owner,
    transferId: event.id,
    mintedBlock: event.block.number,
    mintedLog: event.log.logIndex,
    blockTimestamp: event.block.timestamp,
    transactionHash: event.transaction.hash,
  };
  await context.db
    .insert(tokenRange)
    .values({ ...key, fromTokenId: first, ...range })
    .onConflictDoUpdate(range);
  await context.db
    .insert(collectionRanges)
    .values({ ...key, bounds: text })
    .onConflictDoUpdate({ bounds: text });
}

/**
 * Gives a token of a range a row of its own, as the mint left it, and answers what that was; undefined for a token of
 * no range, and for one whose row tells of a transfer already. What else the row holds, such as locks, stays. For
 * handlers whose upsert found no row of the token, or one without a standard: others need not ask. Never throws.
 */
export async function materialiseToken(
  event: ChainEvent,
  context: Context,
  tokenId: bigint,
): Promise<RangedToken | undefined> {
  const token = await findRanged(event, context, tokenId);
  if (!token) return undefined;
  let isNew = true;
  const minted = { standard: "erc721" as const, ...token };
  await context.db
    .insert(tokenState)
    .values({ ...tokenKey(event, context, tokenId), ...untouched, ...minted })
    .onConflictDoUpdate((row) => {
      isNew = row.standard === null;
      return isNew ? minted : {};
    });
  return isNew ? token : undefined;
}

/** The token as its range has it; undefined for one of no range. */
export async function findRanged(
  event: ChainEvent,
  context: Context,
  tokenId: bigint,
): Promise<RangedToken | undefined> {
  const bounds = rangeOf(await readRanges(event, context), tokenId);
  if (!bounds) return undefined;
  const key = { ...collectionKey(event, context), fromTokenId: bounds[0] };
  const range = await context.db.find(tokenRange, key);
  if (!range) return undefined;
  const { owner, mintedBlock, mintedLog } = range;
  return { owner, mintedBlock, mintedLog };
}
