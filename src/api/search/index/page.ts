/** Selects one page of the matching tokens. */

import { type Bits, countBits, eachBit, hasBit } from "../columns/bits.ts";
import { readCursor, writeCursor } from "../cursor.ts";
import type { TokenPage, TokenQuery } from "../query.ts";
import type { CollectionIndex } from "./collection-index.ts";
import type { Rarity } from "./rarity.ts";
import { type SortOrder, sortOrderOf } from "./sorts.ts";
import { stack } from "./stacks.ts";
import { createTopK } from "./top-k.ts";

// Comparing two tokens costs about as much as passing this many in a maintained order.
const COMPARISON_COST = 32;

/**
 * `matches` must be present. A trait's order must be prepared, tokens be ranked to sort by rarity, and documents be
 * complete to group by them.
 */
export function pageOf(index: CollectionIndex, query: TokenQuery, matches: Bits, rarity?: Rarity): TokenPage {
  const { sort, limit, cursor, group, offset = 0 } = query;
  const { ids } = index;
  const sortOrder = sortOrderOf(index, sort, rarity);
  const stacks = group && stack(index.documents, sortOrder.order.settled(), matches);
  const slots = stacks?.firsts ?? matches;
  const total = countBits(slots);
  const position = cursor === undefined ? undefined : readCursor(sort, cursor);
  const isAfter = position && sortOrder.after(position);
  const count = offset + limit + 1;
  const isWalk = total * COMPARISON_COST > ids.size;
  const found = isWalk
    ? walk(sortOrder.order.settled(), slots, count, isAfter)
    : pick(sortOrder, slots, count, isAfter);
  const page = found.slice(offset, offset + limit);
  const last = page.at(-1);
  return {
    tokenIds: page.map(ids.textOf),
    ...(stacks && { counts: page.map(stacks.countOf) }),
    nextCursor:
      found.length < count || last === undefined
        ? null
        : writeCursor(sort, { key: sortOrder.keyOf(last), tokenId: ids.textOf(last) }),
    total,
  };
}

type IsAfter = (slot: number) => boolean;

/** The first slots in a maintained order, from the end of the previous page. */
function walk(ordered: Uint32Array, slots: Bits, count: number, isAfter: IsAfter | undefined): number[] {
  let at = 0;
  for (let to = isAfter ? ordered.length : 0; isAfter && at < to; ) {
    const middle = (at + to) >>> 1;
    if (isAfter(ordered[middle] as number)) to = middle;
    else at = middle + 1;
  }
  const found: number[] = [];
  for (; at < ordered.length && found.length < count; at++) {
    const slot = ordered[at] as number;
    if (hasBit(slots, slot)) found.push(slot);
  }
  return found;
}

/** The same by comparing all matching slots. */
function pick({ compare }: SortOrder, slots: Bits, count: number, isAfter: IsAfter | undefined): number[] {
  const first = createTopK(count, compare);
  eachBit(slots, (slot) => {
    if (!isAfter || isAfter(slot)) first.offer(slot);
  });
  return first.take();
}
