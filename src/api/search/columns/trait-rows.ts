/** The trait values of each slot: runs in one pool, overwritten in place while their length stays the same. */

import { type Bits, clearBit, emptyBits, setBit } from "./bits.ts";
import { grown } from "./ensure-capacity.ts";
import { type TraitTable, UNKNOWN_VALUE } from "./trait-table.ts";

export interface TraitRows {
  /** The pool, and the start and length of each slot's run. Valid until the next `set`. */
  readonly pool: Uint32Array<ArrayBuffer>;
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly lengths: Uint16Array<ArrayBuffer>;
  /** Slots with several values of one trait type. */
  readonly repeating: Bits;
  /** Replaces the slot's values, which must be distinct; returns whether they changed. */
  set(slot: number, values: readonly number[]): boolean;
  /** Adds a new slot's values, which must be distinct, from a part of a list; skips unknown ones. */
  append(slot: number, values: Uint32Array, from: number, to: number): void;
  readonly used: number;
  /** The memory it takes. */
  readonly memory: number;
  /** Unused pool entries. */
  readonly unused: number;
}

export function createTraitRows(table: TraitTable): TraitRows {
  let pool = new Uint32Array(0);
  let starts = new Uint32Array(0);
  let lengths = new Uint16Array(0);
  let repeating = emptyBits(0);
  let used = 0;
  let unused = 0;
  // By type, the last appended slot with a value of it, counted from 1.
  let lastSlots = new Uint32Array(0);

  function place(slot: number, count: number): void {
    const before = lengths[slot] as number;
    if (before === count) return;
    unused += before;
    starts[slot] = used;
    lengths[slot] = count;
    used += count;
    pool = grown(pool, used);
  }

  function hasValues(slot: number, values: readonly number[]): boolean {
    const start = starts[slot] as number;
    return lengths[slot] === values.length && values.every((value, at) => pool[start + at] === value);
  }

  return {
    get pool() {
      return pool;
    },
    get starts() {
      return starts;
    },
    get lengths() {
      return lengths;
    },
    get repeating() {
      return repeating;
    },
    get used() {
      return used;
    },
    get unused() {
      return unused;
    },
    get memory() {
      return pool.byteLength + starts.byteLength + lengths.byteLength + repeating.byteLength;
    },
    append(slot, values, from, to) {
      starts = grown(starts, slot + 1);
      lengths = grown(lengths, slot + 1);
      repeating = grown(repeating, (slot >>> 5) + 1);
      lastSlots = grown(lastSlots, table.types.length);
      pool = grown(pool, used + to - from);
      starts[slot] = used;
      for (let at = from; at < to; at++) {
        const value = values[at] as number;
        if (value === UNKNOWN_VALUE) continue;
        pool[used++] = value;
        table.addUses(value, 1);
        const type = table.typeOf(value);
        if (lastSlots[type] === slot + 1) setBit(repeating, slot);
        lastSlots[type] = slot + 1;
      }
      lengths[slot] = used - (starts[slot] as number);
    },
    set(slot, values) {
      starts = grown(starts, slot + 1);
      lengths = grown(lengths, slot + 1);
      repeating = grown(repeating, (slot >>> 5) + 1);
      if (hasValues(slot, values)) return false;
      const start = starts[slot] as number;
      for (let at = 0; at < (lengths[slot] as number); at++) table.addUses(pool[start + at] as number, -1);
      place(slot, values.length);
      pool.set(values, starts[slot]);
      for (const value of values) table.addUses(value, 1);
      if (new Set(values.map(table.typeOf)).size < values.length) setBit(repeating, slot);
      else clearBit(repeating, slot);
      return true;
    },
  };
}
