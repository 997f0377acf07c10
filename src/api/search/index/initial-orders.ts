/** The orders of a search index just loaded, from slots in the order of their ids. */

import type { YieldToEventLoop } from "../../async/yield-to-event-loop.ts";
import { type Order, sortItems } from "../columns/order.ts";
import { fillNewestKeys, radixSort } from "../columns/radix-sort.ts";
import type { TextColumn } from "../columns/text-column.ts";

type Slots = Uint32Array<ArrayBuffer>;

/** Newest first, ties by id. */
export async function sortNewest(
  byId: Slots,
  column: Float64Array,
  order: Order,
  yieldToEventLoop: YieldToEventLoop,
): Promise<void> {
  const slots = byId.slice();
  const [high, low] = [new Uint32Array(slots.length), new Uint32Array(slots.length)];
  fillNewestKeys(slots, column, high, low);
  await radixSort(slots, high, low, yieldToEventLoop);
  order.adopt(slots);
}

/** By name in both directions, ties by id; slots without a name come last. */
export async function sortNames(
  byId: Slots,
  names: TextColumn,
  compareIds: (a: number, b: number) => number,
  orders: { readonly ascending: Order; readonly descending: Order },
  yieldToEventLoop: YieldToEventLoop,
): Promise<void> {
  const named = byId.filter((slot) => names.has(slot));
  const nameless = byId.filter((slot) => !names.has(slot));
  const [high, low] = [new Uint32Array(named.length), new Uint32Array(named.length)];
  names.fillKeys(named, high, low);
  await radixSort(named, high, low, yieldToEventLoop);
  // Longer names may still differ after the bytes of their keys. Their ids are in order.
  for (let from = 0; from < named.length; ) {
    let end = from + 1;
    while (end < named.length && high[end] === high[from] && low[end] === low[from]) end++;
    if (end - from > 1) {
      const run = named.subarray(from, end);
      await sortItems(run, (a, b) => names.compare(a, b) || compareIds(a, b), yieldToEventLoop);
    }
    from = end;
  }
  orders.ascending.adopt(joined(named, nameless));
  orders.descending.adopt(joined(reversed(named, names), nameless));
}

/** In descending order, but equal names in the order they had. */
function reversed(named: Slots, names: TextColumn): Slots {
  const turned = new Uint32Array(named.length);
  let at = 0;
  for (let end = named.length; end > 0; ) {
    let from = end - 1;
    while (from > 0 && names.compare(named[from - 1] as number, named[from] as number) === 0) from--;
    // Mostly one or two: a subarray would take longer.
    for (let nth = from; nth < end; nth++) turned[at++] = named[nth] as number;
    end = from;
  }
  return turned;
}

function joined(first: Slots, second: Slots): Slots {
  const all = new Uint32Array(first.length + second.length);
  all.set(first);
  all.set(second, first.length);
  return all;
}
