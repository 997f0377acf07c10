/** Which ids of a collection may have rows outside all ranges, which would override a new range. */

import type { Context } from "ponder:registry";
import { collectionState } from "ponder:schema";
import { type ChainEvent, collectionKey } from "./event-row.ts";
import type { Bounds } from "./token-ranges.ts";

// Handlers can't list rows, and a span for each id would be as long as the collection. Most collections have few gaps.
const SPANS_MAX = 16;

/** Spans ordered by id, none beside another. Those that would be too many are joined where the gap is smallest. */
export function addId(spans: readonly Bounds[], id: bigint): readonly Bounds[] {
  const found = spans.findIndex(([, last]) => last >= id);
  const at = found === -1 ? spans.length : found;
  const next = spans[at];
  if (next !== undefined && next[0] <= id) return spans;
  const all = [...spans.slice(0, at), [id, id] as const, ...spans.slice(at)];
  for (;;) {
    const { gap, left } = smallestGap(all);
    const [before, after] = [all[left], all[left + 1]];
    if (!before || !after || (gap > 1n && all.length <= SPANS_MAX)) return all;
    all.splice(left, 2, [before[0], after[1]]);
  }
}

function smallestGap(spans: readonly Bounds[]): { gap: bigint; left: number } {
  let [gap, left] = [0n, 0];
  for (let at = 0; at + 1 < spans.length; at++) {
    const between = (spans[at + 1]?.[0] ?? 0n) - (spans[at]?.[1] ?? 0n);
    if (at === 0 || between < gap) [gap, left] = [between, at];
  }
  return { gap, left };
}

// A collection's tokens are usually minted one after another.
let lastParsed: { readonly text: string; readonly spans: readonly Bounds[] } = { text: "[]", spans: [] };

function parseSpans(text: string): readonly Bounds[] {
  if (lastParsed.text !== text) {
    const pairs = JSON.parse(text) as [string, string][];
    lastParsed = { text, spans: pairs.map(([first, last]) => [BigInt(first), BigInt(last)]) };
  }
  return lastParsed.spans;
}

/** The value of `ownIds` (ponder.schema.ts) with one id. */
export const firstOwnId = (id: bigint): string => `[["${id}","${id}"]]`;

/** The value of `ownIds` with another id. */
export function addOwnId(ownIds: string | null, id: bigint): string {
  if (ownIds === null) return firstOwnId(id);
  const before = parseSpans(ownIds);
  const spans = addId(before, id);
  if (spans === before) return ownIds;
  lastParsed = { text: JSON.stringify(spans.map((each) => each.map(String))), spans };
  return lastParsed.text;
}

/** The parts of `bounds` whose tokens may have a row outside all ranges, ordered by id. */
export async function readOwnParts(
  event: ChainEvent,
  context: Context,
  [first, last]: Bounds,
): Promise<readonly Bounds[]> {
  const collection = await context.db.find(collectionState, collectionKey(event, context));
  return parseSpans(collection?.ownIds ?? "[]")
    .filter(([from, to]) => from <= last && first <= to)
    .map(([from, to]) => [from < first ? first : from, to > last ? last : to]);
}

/** What `parts`, ordered by id, leave of `bounds`. */
export function outside([first, last]: Bounds, parts: readonly Bounds[]): readonly Bounds[] {
  const rest: Bounds[] = [];
  let next = first;
  for (const [from, to] of parts) {
    if (next < from) rest.push([next, from - 1n]);
    next = to + 1n;
  }
  if (next <= last) rest.push([next, last]);
  return rest;
}
