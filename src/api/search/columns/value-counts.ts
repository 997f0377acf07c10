/** Counts how many of a set of tokens have each value and each trait type. */

import { runSteps, type Steps } from "../../async/yield-to-event-loop.ts";
import type { CollectionIndex } from "../index/collection-index.ts";
import { type Bits, countBits, dropBits, eachBit, keepBits } from "./bits.ts";
import { grown } from "./ensure-capacity.ts";
import type { TraitType } from "./trait-table.ts";

// Reused: allocating a million counters each time would make the garbage collector scan the whole search index.
let scratch = new Uint32Array(0);
const spare: Uint32Array<ArrayBuffer>[] = [];

// A run's slots are adjacent in memory. The rows of scattered slots each cost a cache miss, about the time of passing
// this many slots of a run.
const ROW_COST = 64;

// Of slots, in words: about half a millisecond.
const STEP_WORDS = 512;

/**
 * Counts how many of the slots have each value; valid until the next call. `slots` must be present. For more than half
 * of them, it counts the others and subtracts from the totals.
 */
export function countValues(index: CollectionIndex, slots: Bits): Uint32Array<ArrayBuffer> {
  scratch = grown(scratch, index.table.size);
  return runSteps(addValues(index, slots, scratch));
}

/** The same in steps, followed by those of `use`, which may use the counts until its last one. */
export function* withValueCounts<Result>(
  index: CollectionIndex,
  slots: Bits,
  use: (counts: Uint32Array<ArrayBuffer>) => Steps<Result>,
): Steps<Result> {
  const counters = grown(spare.pop() ?? new Uint32Array(0), index.table.size);
  const result = yield* use(yield* addValues(index, slots, counters));
  spare.push(counters);
  return result;
}

function* addValues(
  index: CollectionIndex,
  slots: Bits,
  into: Uint32Array<ArrayBuffer>,
): Steps<Uint32Array<ArrayBuffer>> {
  const { counts, among, step } = startCount(index, slots, into);
  for (let from = 0; from < among.length; from += STEP_WORDS) {
    addRows(index, among, counts, step, from, Math.min(from + STEP_WORDS, among.length));
    yield;
  }
  return counts;
}

function startCount({ table, present }: CollectionIndex, slots: Bits, into: Uint32Array<ArrayBuffer>) {
  const others = present.slice();
  dropBits(others, slots);
  const isFew = countBits(slots) <= countBits(others);
  const counts = into.subarray(0, table.size);
  if (isFew) counts.fill(0);
  else counts.set(table.counts.subarray(0, table.size));
  return { counts, among: isFew ? slots : others, step: isFew ? 1 : -1 };
}

/** The same for the shown values of one type; entries of other values are undefined. */
export function countValuesOf(
  index: CollectionIndex,
  slots: Bits,
  type: TraitType,
): Uint32Array<ArrayBuffer> {
  const { ids, postings, present, table } = index;
  const count = countBits(slots);
  const scanned = Math.min(count, countBits(present) - count);
  if (scanned * ROW_COST < ids.size) return countValues(index, slots);
  scratch = grown(scratch, table.size);
  const counts = scratch.subarray(0, table.size).fill(0);
  postings.count(slots, table.orders.of(type), counts);
  return counts;
}

/** Adds `step` to the count of each value of each slot in the given words. */
function addRows(
  { rows }: CollectionIndex,
  slots: Bits,
  counts: Uint32Array,
  step: number,
  from: number,
  to: number,
): void {
  const { pool, starts, lengths } = rows;
  // Inlines `eachBit`: a call per slot would take half as long again.
  for (let word = from; word < to; word++) {
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

/** Counts how many of the slots have a shown value of each trait type, given the counts per value. */
export function countTypes(
  index: CollectionIndex,
  slots: Bits,
  valueCounts: Uint32Array,
): Uint32Array<ArrayBuffer> {
  const repeats = countRepeats(index, slots);
  return index.table.sumByType(valueCounts).map((sum, at) => sum - (repeats[at] as number));
}

/** The same for one type, given the counts of its values. */
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

/** The number of shown values beyond a slot's first of each type, summed over the slots, by type. */
function countRepeats({ rows, table }: CollectionIndex, slots: Bits): Uint32Array<ArrayBuffer> {
  const repeats = new Uint32Array(table.types.length);
  // By type, the last slot with a shown value of it, counted from 1.
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
