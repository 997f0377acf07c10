/** How many of some tokens hold each value, and each trait type. */

import { type Bits, countBits, dropBits, eachBit, keepBits } from "./bits.ts";
import type { CollectionIndex } from "./collection-index.ts";
import { grown } from "./growable.ts";

// Counting a million values anew each time would have the garbage collector look through all that an index holds.
let scratch = new Uint32Array(0);

/**
 * How many of the slots hold each value, by value; valid until the next call. `slots` are present ones; for more than
 * half of them it is the others that are counted, and taken off what all hold.
 */
export function countValues(
  { rows, table, present }: CollectionIndex,
  slots: Bits,
): Uint32Array<ArrayBuffer> {
  const others = present.slice();
  dropBits(others, slots);
  const isFew = countBits(slots) <= countBits(others);
  scratch = grown(scratch, table.size);
  const counts = scratch.subarray(0, table.size);
  if (isFew) counts.fill(0);
  else counts.set(table.held.subarray(0, table.size));
  const step = isFew ? 1 : -1;
  const { pool, starts, lengths } = rows;
  eachBit(isFew ? slots : others, (slot) => {
    const start = starts[slot] as number;
    const end = start + (lengths[slot] as number);
    for (let at = start; at < end; at++) {
      const value = pool[at] as number;
      counts[value] = (counts[value] as number) + step;
    }
  });
  return counts;
}

/** How many of the slots hold a shown value of each trait type, by type, told from how many hold each value. */
export function countTypes(
  { rows, table }: CollectionIndex,
  slots: Bits,
  valueCounts: Uint32Array,
): Uint32Array<ArrayBuffer> {
  const counts = table.sumByType(valueCounts);
  // A slot with several values of a type was counted once for each.
  const repeating = rows.repeating.slice();
  keepBits(repeating, slots);
  eachBit(repeating, (slot) => {
    const start = rows.starts[slot] as number;
    const values = rows.pool.subarray(start, start + (rows.lengths[slot] as number));
    const seen = new Set<number>();
    for (const value of values) {
      if (!table.isShown(value)) continue;
      const type = table.typeOf(value);
      if (seen.has(type)) counts[type] = (counts[type] as number) - 1;
      seen.add(type);
    }
  });
  return counts;
}

/** How many of the slots have metadata. */
export function countWithMetadata({ withMetadata }: CollectionIndex, slots: Bits): number {
  const both = slots.slice();
  keepBits(both, withMetadata);
  return countBits(both);
}
