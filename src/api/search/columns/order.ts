/** Sorted items, maintained incrementally as a few of them change at a time. */

import type { YieldToEventLoop } from "../../async/yield-to-event-loop.ts";
import { type Bits, clearBit, emptyBits, hasBit, setBit } from "./bits.ts";
import { grown } from "./ensure-capacity.ts";

type Compare = (a: number, b: number) => number;
type Items = Uint32Array<ArrayBuffer>;

const STEP = 2_048;

/** Sorts in place, in steps of a few milliseconds. Sorted input costs one pass. */
export async function sortItems(
  items: Items,
  compare: Compare,
  yieldToEventLoop: YieldToEventLoop,
): Promise<void> {
  for (let from = 0; from < items.length; from += STEP) {
    const run = items.subarray(from, from + STEP);
    if (!isSorted(run, compare)) run.sort(compare);
    await yieldToEventLoop();
  }
  for (let width = STEP; width < items.length; width *= 2) {
    for (let from = 0; from + width < items.length; from += 2 * width) {
      await mergeRuns(
        items,
        { from, middle: from + width, end: from + 2 * width },
        compare,
        yieldToEventLoop,
      );
    }
  }
}

function isSorted(items: Items, compare: Compare): boolean {
  for (let at = 1; at < items.length; at++) {
    if (compare(items[at - 1] as number, items[at] as number) > 0) return false;
  }
  return true;
}

async function mergeRuns(
  items: Items,
  runs: { from: number; middle: number; end: number },
  compare: Compare,
  yieldToEventLoop: YieldToEventLoop,
): Promise<void> {
  const { from, middle } = runs;
  const end = Math.min(runs.end, items.length);
  if (compare(items[middle - 1] as number, items[middle] as number) <= 0) return;
  const left = items.slice(from, middle);
  let leftAt = 0;
  let rightAt = middle;
  let at = from;
  while (leftAt < left.length) {
    const stepEnd = at + STEP;
    for (; at < stepEnd && leftAt < left.length; at++) {
      const takeLeft = rightAt >= end || compare(left[leftAt] as number, items[rightAt] as number) <= 0;
      items[at] = (takeLeft ? left[leftAt++] : items[rightAt++]) as number;
    }
    await yieldToEventLoop();
  }
}

export interface Order {
  /** Takes ownership of `items` and sorts them. Their keys must not change until it is done. */
  build(items: Items, yieldToEventLoop: YieldToEventLoop): Promise<void>;
  /** Takes ownership of sorted items; only those marked dirty since this order was created may be out of place. */
  adopt(items: Items): void;
  readonly isBuilt: boolean;
  /** Marks an item as added, removed or with a changed key. */
  markDirty(item: number): void;
  readonly dirty: number;
  /** The memory it takes. */
  readonly memory: number;
  /** The present items in order; valid until the next `markDirty`. */
  settled(): Items;
}

export function createOrder(compare: Compare, isPresent: (item: number) => boolean): Order {
  let items: Items = new Uint32Array(0);
  let length = 0;
  let dirtyBits: Bits = emptyBits(0);
  let dirty: number[] = [];
  let isBuilt = false;

  function takeOutDirty(): void {
    let kept = 0;
    for (let at = 0; at < length; at++) {
      const item = items[at] as number;
      if (!hasBit(dirtyBits, item)) items[kept++] = item;
    }
    length = kept;
  }

  /** The number of items that sort before one that is not in the list. */
  function placeOf(item: number): number {
    let from = 0;
    let to = length;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (compare(items[middle] as number, item) < 0) from = middle + 1;
      else to = middle;
    }
    return from;
  }

  function putIn(fresh: readonly number[]): void {
    const places = fresh.map(placeOf);
    items = grown(items, length + fresh.length);
    let end = length;
    for (let nth = fresh.length - 1; nth >= 0; nth--) {
      const place = places[nth] as number;
      items.copyWithin(place + nth + 1, place, end);
      items[place + nth] = fresh[nth] as number;
      end = place;
    }
    length += fresh.length;
  }

  function adopt(source: Items): void {
    items = source;
    length = source.length;
    isBuilt = true;
  }

  return {
    async build(source, yieldToEventLoop) {
      await sortItems(source, compare, yieldToEventLoop);
      adopt(source);
    },
    adopt,
    get isBuilt() {
      return isBuilt;
    },
    markDirty(item) {
      dirtyBits = grown(dirtyBits, (item >>> 5) + 1);
      if (hasBit(dirtyBits, item)) return;
      setBit(dirtyBits, item);
      dirty.push(item);
    },
    get dirty() {
      return dirty.length;
    },
    get memory() {
      return items.byteLength + dirtyBits.byteLength;
    },
    settled() {
      if (dirty.length > 0) {
        takeOutDirty();
        putIn(dirty.filter(isPresent).sort(compare));
        for (const item of dirty) clearBit(dirtyBits, item);
        dirty = [];
      }
      return items.subarray(0, length);
    },
  };
}
