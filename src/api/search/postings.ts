/**
 * Which slots hold a value: runs of slots made for all values at once, and a look at each slot that has changed since.
 */

import { type Bits, dropBits, emptyBits, hasBit, setBit } from "./bits.ts";
import type { Breathe } from "./breathe.ts";
import { grown } from "./growable.ts";
import type { TraitRows } from "./trait-rows.ts";
import type { TraitTable } from "./trait-table.ts";

const STEP = 4_096;
// A look at a changed slot costs about what five slots of a run cost.
const CHANGED_MIN = 2_000;
const CHANGED_SHARE = 0.02;

/** The base: slots by value, as they were when it was made. */
interface Runs {
  readonly slots: Uint32Array<ArrayBuffer>;
  readonly starts: Uint32Array<ArrayBuffer>;
  readonly ends: Uint32Array<ArrayBuffer>;
}

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
  touch(slot: number): void;
  /** Sets the bits of all slots that hold any of the values. `bits` must be empty. */
  fill(bits: Bits, values: readonly number[]): void;
  /** Whether so much has changed that the runs should be made anew. */
  readonly isStale: boolean;
  /** Makes the runs anew, while slots may change. One at a time. */
  rebuild(slots: number, breathe: Breathe): Promise<void>;
}

export function createPostings(rows: TraitRows, table: TraitTable): Postings {
  let runs: Runs = { slots: new Uint32Array(0), starts: new Uint32Array(0), ends: new Uint32Array(0) };
  let changed = noChange();
  let meanwhile: Changed | undefined;
  let asked = new Uint8Array(0);
  let slotsAtBuild = 0;

  function holdsAsked(slot: number): boolean {
    const { pool, starts, lengths } = rows;
    const start = starts[slot] as number;
    const end = start + (lengths[slot] as number);
    for (let at = start; at < end; at++) if (asked[pool[at] as number] === 1) return true;
    return false;
  }

  /** Visits what is held by slots that have not changed since the rebuild began, in steps. */
  async function eachHeld(
    slots: number,
    breathe: Breathe,
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
      await breathe();
    }
  }

  return {
    touch(slot) {
      note(changed, slot);
      if (meanwhile) note(meanwhile, slot);
    },
    fill(bits, values) {
      const { slots, starts, ends } = runs;
      for (const value of values) {
        if (value >= ends.length) continue;
        for (let at = starts[value] as number; at < (ends[value] as number); at++) {
          setBit(bits, slots[at] as number);
        }
      }
      if (changed.slots.length === 0) return;
      dropBits(bits, changed.bits);
      asked = grown(asked, table.size);
      for (const value of values) asked[value] = 1;
      for (const slot of changed.slots) if (holdsAsked(slot)) setBit(bits, slot);
      for (const value of values) asked[value] = 0;
    },
    get isStale() {
      return changed.slots.length > Math.max(CHANGED_MIN, slotsAtBuild * CHANGED_SHARE);
    },
    async rebuild(slots, breathe) {
      meanwhile = noChange();
      try {
        const values = table.size;
        const ends = new Uint32Array(values);
        await eachHeld(slots, breathe, (value) => {
          ends[value] = (ends[value] as number) + 1;
        });
        const starts = new Uint32Array(values);
        let total = 0;
        for (let value = 0; value < values; value++) {
          starts[value] = total;
          total += ends[value] as number;
          ends[value] = starts[value] as number;
        }
        const next = new Uint32Array(total);
        // What has changed between the two passes is left out by the second; its places stay empty at the run's end.
        await eachHeld(slots, breathe, (value, slot) => {
          const end = ends[value] as number;
          next[end] = slot;
          ends[value] = end + 1;
        });
        runs = { slots: next, starts, ends };
        changed = meanwhile;
        slotsAtBuild = slots;
      } finally {
        meanwhile = undefined;
      }
    },
  };
}
