/** How many of some tokens hold each value, and each trait type. */

import type { CollectionIndex } from "../index/collection-index.ts";
import { type Bits, countBits, dropBits, eachBit, keepBits } from "./bits.ts";
import { grown } from "./ensure-capacity.ts";
import type { TraitType } from "./trait-table.ts";

// Counting a million values anew each time would have the garbage collector look through all that an index holds.
let scratch = new Uint32Array(0);

// Slots of a run follow each other in memory; what some slots here and there hold is each fetched from afar, which
// takes as long as to pass by this many.
const ROW_COST = 64;

/**
 * How many of the slots hold each value, by value; valid until the next call. `slots` are present ones; for more than
 * half of them it is the others that are counted, and taken off what all hold.
 */
export function countValues(index: CollectionIndex, slots: Bits): Uint32Array<ArrayBuffer> {
  const { table, present } = index;
  const others = present.slice();
  dropBits(others, slots);
  const isFew = countBits(slots) <= countBits(others);
  scratch = grown(scratch, table.size);
  const counts = scratch.subarray(0, table.size);
  if (isFew) counts.fill(0);
  else counts.set(table.held.subarray(0, table.size));
  addHeld(index, isFew ? slots : others, counts, isFew ? 1 : -1);
  return counts;
}

/** The same for shown values of one type alone; where others are, there is anything. */
export function countValuesOf(
  index: CollectionIndex,
  slots: Bits,
  type: TraitType,
): Uint32Array<ArrayBuffer> {
  const { ids, postings, present, table } = index;
  const count = countBits(slots);
  const looked = Math.min(count, countBits(present) - count);
  if (looked * ROW_COST < ids.size) return countValues(index, slots);
  scratch = grown(scratch, table.size);
  const counts = scratch.subarray(0, table.size).fill(0);
  postings.count(slots, table.orders.of(type), counts);
  return counts;
}

/** Adds `step` for each slot that holds a value. */
function addHeld({ rows }: CollectionIndex, slots: Bits, counts: Uint32Array, step: number): void {
  const { pool, starts, lengths } = rows;
  // As `eachBit` does; a call per slot would take half as long again.
  for (let word = 0; word < slots.length; word++) {
    for (let left = slots[word] as number; left !== 0; left &= left - 1) {
      const slot = (word << 5) | (31 - Math.clz32(left & -left));
      const start = starts[slot] as number;
      const end = start + (lengths[slot] as number);
      for (let at = start; at < end; at++) {
        const value = pool[at] as number;
        counts[value] = (counts[value] as number) + step;
      }
    }
  }
}

/** How many of the slots hold a shown value of each trait type, by type, told from how many hold each value. */
export function countTypes(
  index: CollectionIndex,
  slots: Bits,
  valueCounts: Uint32Array,
): Uint32Array<ArrayBuffer> {
  const repeats = countRepeats(index, slots);
  return index.table.sumByType(valueCounts).map((sum, at) => sum - (repeats[at] as number));
}

/** The same for one type alone, told from how many hold each of its values. */
export function countType(
  index: CollectionIndex,
  slots: Bits,
  type: TraitType,
  valueCounts: Uint32Array,
): number {
  let sum = 0;
  for (const value of index.table.orders.of(type)) sum += valueCounts[value] as number;
  return sum - (countRepeats(index, slots)[type.at] as number);
}

/** How many shown values the slots hold besides the first one of its type, by type. */
function countRepeats({ rows, table }: CollectionIndex, slots: Bits): Uint32Array<ArrayBuffer> {
  const repeats = new Uint32Array(table.types.length);
  // By type, the last slot that showed a value of it, from 1.
  const lastSlots = new Uint32Array(table.types.length);
  const { pool, starts, lengths } = rows;
  const repeating = rows.repeating.slice();
  keepBits(repeating, slots);
  eachBit(repeating, (slot) => {
    const start = starts[slot] as number;
    const end = start + (lengths[slot] as number);
    for (let at = start; at < end; at++) {
      const value = pool[at] as number;
      if (!table.isShown(value)) continue;
      const type = table.typeOf(value);
      if (lastSlots[type] === slot + 1) repeats[type] = (repeats[type] as number) + 1;
      lastSlots[type] = slot + 1;
    }
  });
  return repeats;
}
