/** ERC-2309 mints of thousands of tokens, stored as one row; a token gets its own row when it changes. */

import type { Context } from "ponder:registry";
import { collectionRanges, collectionState, tokenRange, tokenState } from "ponder:schema";
import { type ChainEvent, collectionKey } from "./event-row.ts";
import { initialToken, tokenKey } from "./token-key.ts";

/** Handlers read the bounds of all ranges of a collection at once. */
export const RANGES_MAX = 1_000;

/** A token of a range, in its state after the mint. */
export interface RangedToken {
  readonly owner: `0x${string}`;
  readonly mintedBlock: bigint;
  readonly mintedLog: number;
}

/** First and last token id, inclusive. */
export type Bounds = readonly [first: bigint, last: bigint];

/** The bounds of a collection's ranges, ordered by id. A collection without ranges costs one lookup. */
export async function readRanges(event: ChainEvent, context: Context): Promise<readonly Bounds[]> {
  const key = collectionKey(event, context);
  const collection = await context.db.find(collectionState, key);
  if (!collection?.hasRanges) return [];
  const row = await context.db.find(collectionRanges, key);
  return parseBounds(row?.bounds ?? "[]");
}

// One log may concern thousands of tokens of a thousand ranges.
let lastParsed: { readonly text: string; readonly bounds: readonly Bounds[] } | undefined;

function parseBounds(text: string): readonly Bounds[] {
  if (lastParsed?.text !== text) {
    const pairs = JSON.parse(text) as [string, string][];
    lastParsed = { text, bounds: pairs.map(([first, last]) => [BigInt(first), BigInt(last)]) };
  }
  return lastParsed.bounds;
}

/** The bounds of the range that contains a token, by binary search; ranges don't overlap. */
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

/** Whether `bounds` overlaps any of the ranges. */
export const overlaps = (ranges: readonly Bounds[], [first, last]: Bounds): boolean =>
  ranges.some(([from, to]) => from <= last && first <= to);

/** Adds a range that overlaps none of `ranges`, the collection's complete list, and returns the new list. */
export async function addRange(
  event: ChainEvent,
  context: Context,
  ranges: readonly Bounds[],
  { bounds, owner, transferId }: { bounds: Bounds; owner: `0x${string}`; transferId: string },
): Promise<readonly Bounds[]> {
  const [first, last] = bounds;
  const key = collectionKey(event, context);
  const all = [...ranges, bounds].sort(([a], [b]) => (a < b ? -1 : 1));
  const text = JSON.stringify(all.map((each) => each.map(String)));
  const range = {
    toTokenId: last,
    owner,
    transferId,
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
  return all;
}

/**
 * Writes a row for a token of a range, in its state after the mint, and returns that state. Returns undefined for a
 * token outside all ranges or with a transfer of its own. The row's other columns, such as locks, stay. Call it only if
 * the upsert found no row of the token, or one without a standard. Never throws.
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
    .values({ ...tokenKey(event, context, tokenId), ...initialToken, ...minted })
    .onConflictDoUpdate((row) => {
      isNew = row.standard === null;
      return isNew ? minted : {};
    });
  return isNew ? token : undefined;
}

/**
 * Gives the row of a token of a range its state after the mint, whatever the token's first transfer has just written.
 * Returns whether a range contains the token.
 */
export async function restoreRanged(event: ChainEvent, context: Context, tokenId: bigint): Promise<boolean> {
  const token = await findRanged(event, context, tokenId);
  if (!token) return false;
  const { supply, burned, burnedBlock, burnedLog } = initialToken;
  await context.db
    .update(tokenState, tokenKey(event, context, tokenId))
    .set({ standard: "erc721", supply, burned, burnedBlock, burnedLog, ...token });
  return true;
}

/** The token as its range describes it; undefined for a token outside all ranges. */
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
