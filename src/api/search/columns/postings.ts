/** The slots of each trait value: runs of slots built for all values at once, and a scan of the slots changed since. */

import type { YieldToEventLoop } from "../../async/yield-to-event-loop.ts";
import type { DisplayType } from "../../metadata/document/traits.ts";
import { addSlots, type Bits, countAmong, dropBits, emptyBits, hasBit, setBit } from "./bits.ts";
import { grown } from "./ensure-capacity.ts";
import type { TraitRows } from "./trait-rows.ts";
import type { TraitTable, TraitType } from "./trait-table.ts";

const STEP = 4_096;
// Scanning a changed slot costs about as much as five slots of a run.
const CHANGED_MIN = 2_000;
const CHANGED_SHARE = 0.02;
// Larger than any collection's bit set.
const EMPTY = 0xffff_ffff;

/** The base: slots by value at build time. Shown values of one type are adjacent and sorted. */
interface Runs {
  readonly slots: Uint32Array<ArrayBuffer>;
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly ends: Uint32Array<ArrayBuffer>;
  /** By type, the display type whose values are sorted. */
  readonly inOrder: readonly (DisplayType | undefined)[];
}

const noRuns: Runs = {
  slots: new Uint32Array(0),
  starts: new Uint32Array(0),
  ends: new Uint32Array(0),
  inOrder: [],
};

interface Changed {
  bits: Bits;
  readonly slots: number[];
}

const noChange = (): Changed => ({ bits: emptyBits(0), slots: [] });

function note(changed: Changed, slot: number): void {
  changed.bits = grown(changed.bits, (slot >>> 5) + 1);
  if (hasBit(changed.bits, slot)) return;
  setBit(changed.bits, slot);
  changed.slots.push(slot);
}

export interface Postings {
  markDirty(slot: number): void;
  /** Sets the bits of all slots with any of the values. `bits` must be empty. */
  fill(bits: Bits, values: readonly number[]): void;
  /** The same for values that are consecutive in their type's order; `isAmong` distinguishes them from all others. */
  fillBetween(
    bits: Bits,
    type: TraitType,
    ordered: Uint32Array<ArrayBuffer>,
    isAmong: (value: number) => boolean,
  ): void;
  /**
   * Counts into `counts`, which must be zeroed, how many of `slots` have each of the values. Entries of other values
   * are undefined.
   */
  count(slots: Bits, values: Uint32Array<ArrayBuffer>, counts: Uint32Array<ArrayBuffer>): void;
  /** The memory it takes. */
  readonly memory: number;
  /** Whether so much has changed that the runs should be rebuilt. */
  readonly isStale: boolean;
  /** Rebuilds the runs while slots may change. Must not run concurrently. */
  rebuild(slots: number, yieldToEventLoop: YieldToEventLoop): Promise<void>;
}

export function createPostings(rows: TraitRows, table: TraitTable): Postings {
  let runs = noRuns;
  let changed = noChange();
  let meanwhile: Changed | undefined;
  let asked = new Uint8Array(0);
  let slotsAtBuild = 0;

  function fillRuns(bits: Bits, values: Iterable<number>): void {
    const { slots, starts, ends } = runs;
    for (const value of values) {
      if (value >= ends.length) continue;
      addSlots(bits, slots, starts[value] as number, ends[value] as number);
    }
  }

  function fillChanged(bits: Bits, isAsked: (value: number) => boolean): void {
    dropBits(bits, changed.bits);
    const { pool, starts, lengths } = rows;
    for (const slot of changed.slots) {
      const start = starts[slot] as number;
      const end = start + (lengths[slot] as number);
      for (let at = start; at < end; at++) {
        if (!isAsked(pool[at] as number)) continue;
        setBit(bits, slot);
        break;
      }
    }
  }

  /** Turns the run lengths in `ends` into start positions, which `ends` then contains as well. */
  async function layOut(
    ends: Uint32Array<ArrayBuffer>,
    yieldToEventLoop: YieldToEventLoop,
  ): Promise<Pick<Runs, "starts" | "inOrder"> & { total: number }> {
    const starts = new Uint32Array(ends.length);
    const isPlaced = new Uint8Array(ends.length);
    const inOrder: (DisplayType | undefined)[] = [];
    let total = 0;
    const place = (value: number): void => {
      if (value >= ends.length || isPlaced[value] === 1) return;
      isPlaced[value] = 1;
      starts[value] = total;
      total += ends[value] as number;
      ends[value] = starts[value] as number;
    };
    for (const type of table.types) {
      if (!table.orders.has(type)) continue;
      inOrder[type.at] = type.displayType;
      // A copy: the live order may change meanwhile.
      const ordered = table.orders.of(type).slice();
      for (let from = 0; from < ordered.length; from += STEP) {
        for (const value of ordered.subarray(from, from + STEP)) place(value);
        await yieldToEventLoop();
      }
    }
    for (let value = 0; value < ends.length; value++) {
      place(value);
      if (value % STEP === 0) await yieldToEventLoop();
    }
    return { starts, inOrder, total };
  }

  /** Visits, in steps, the values of slots that have not changed since the rebuild began. */
  async function eachValue(
    slots: number,
    yieldToEventLoop: YieldToEventLoop,
    visit: (value: number, slot: number) => void,
  ): Promise<void> {
    for (let from = 0; from < slots; from += STEP) {
      const { pool, starts, lengths } = rows;
      const bits = meanwhile?.bits ?? emptyBits(0);
      for (let slot = from; slot < Math.min(from + STEP, slots); slot++) {
        if (hasBit(bits, slot)) continue;
        const start = starts[slot] as number;
        const end = start + (lengths[slot] as number);
        for (let at = start; at < end; at++) visit(pool[at] as number, slot);
      }
      await yieldToEventLoop();
    }
  }

  return {
    markDirty(slot) {
      note(changed, slot);
      if (meanwhile) note(meanwhile, slot);
    },
    fill(bits, values) {
      fillRuns(bits, values);
      if (changed.slots.length === 0) return;
      asked = grown(asked, table.size);
      for (const value of values) asked[value] = 1;
      fillChanged(bits, (value) => asked[value] === 1);
      for (const value of values) asked[value] = 0;
    },
    fillBetween(bits, type, ordered, isAmong) {
      const { slots, starts, ends, inOrder } = runs;
      const isKnown = (value: number): boolean => value < ends.length;
      if (inOrder[type.at] === type.displayType) {
        const [first, last] = [ordered.find(isKnown), ordered.findLast(isKnown)];
        // There may be empty places between runs.
        if (first !== undefined && last !== undefined)
          addSlots(bits, slots, starts[first] as number, ends[last] as number);
      } else fillRuns(bits, ordered);
      if (changed.slots.length > 0) fillChanged(bits, isAmong);
    },
    count(among, values, counts) {
      const { slots, starts, ends } = runs;
      const unchanged = among.slice();
      dropBits(unchanged, changed.bits);
      for (const value of values) {
        if (value >= ends.length) continue;
        counts[value] = countAmong(unchanged, slots, starts[value] as number, ends[value] as number);
      }
      const { pool, starts: from, lengths } = rows;
      for (const slot of changed.slots) {
        if (!hasBit(among, slot)) continue;
        const start = from[slot] as number;
        for (let at = start; at < start + (lengths[slot] as number); at++) {
          counts[pool[at] as number] = (counts[pool[at] as number] as number) + 1;
        }
      }
    },
    get memory() {
      return runs.slots.byteLength + runs.starts.byteLength + runs.ends.byteLength;
    },
    get isStale() {
      return changed.slots.length > Math.max(CHANGED_MIN, slotsAtBuild * CHANGED_SHARE);
    },
    async rebuild(slots, yieldToEventLoop) {
      meanwhile = noChange();
      try {
        const values = table.size;
        const ends = new Uint32Array(values);
        await eachValue(slots, yieldToEventLoop, (value) => {
          ends[value] = (ends[value] as number) + 1;
        });
        const { starts, inOrder, total } = await layOut(ends, yieldToEventLoop);
        const next = new Uint32Array(total).fill(EMPTY);
        // The second pass skips slots changed since the first; their places at the end of each run stay empty.
        await eachValue(slots, yieldToEventLoop, (value, slot) => {
          const end = ends[value] as number;
          next[end] = slot;
          ends[value] = end + 1;
        });
        runs = { slots: next, starts, ends, inOrder };
        changed = meanwhile;
        slotsAtBuild = slots;
      } finally {
        meanwhile = undefined;
      }
    },
  };
}
