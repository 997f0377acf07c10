/** The folded texts of items, each different one kept about once, as bytes beside the heap. */

import { type Bits, setBit } from "./bits.ts";
import { grown } from "./ensure-capacity.ts";
import { folded, foldedBytes } from "./folded-text.ts";

// Enough for texts that a whole collection shares, which come early.
const SHARED_MAX = 10_000;
// In no UTF-8: keeps a search from finding the end of one text and the beginning of the next.
const SEPARATOR = 0xff;
// A hit of the search in one go costs about what it costs to look at five names.
const HITS_MAX = 5_000;

export interface TextColumn {
  /** Answers whether the item's text is another one now. */
  set(item: number, text: string | null): boolean;
  has(item: number): boolean;
  /** By code point; items without a text come last, and are alike. */
  compare(a: number, b: number): number;
  /** The order of an item that has a text beside the bytes of a folded one. */
  compareBytes(item: number, bytes: Uint8Array): number;
  /** The folded text. */
  textOf(item: number): string | null;
  /** Sets the bits of items whose text holds this one, whatever the case. Items past the bits are left out. */
  fillHolding(bits: Bits, text: string): void;
  readonly bytes: number;
  /** Bytes of texts that no item has any more. */
  readonly unusedBytes: number;
}

export function createTextColumn(): TextColumn {
  let arena = new Uint8Array(0);
  let arenaLength = 0;
  // Entry 0 is no text; an entry ends a separator before the next one starts.
  let starts = new Uint32Array([0, 0]);
  let entries = 1;
  let entryOf = new Uint32Array(0);
  let users = new Uint32Array(0);
  let unusedBytes = 0;
  const shared = new Map<string, number>();

  const endOf = (entry: number): number => (starts[entry + 1] as number) - 1;

  function append(bytes: Uint8Array): number {
    arena = grown(arena, arenaLength + bytes.length + 1);
    starts = grown(starts, entries + 2);
    arena.set(bytes, arenaLength);
    starts[entries] = arenaLength;
    arenaLength += bytes.length;
    arena[arenaLength++] = SEPARATOR;
    starts[entries + 1] = arenaLength;
    users = grown(users, entries + 1);
    unusedBytes += bytes.length;
    return entries++;
  }

  const lengthOf = (entry: number): number => endOf(entry) - (starts[entry] as number);

  function use(item: number, entry: number): void {
    const before = entryOf[item] as number;
    if (before !== 0) {
      users[before] = (users[before] as number) - 1;
      if (users[before] === 0) unusedBytes += lengthOf(before);
    }
    if (entry !== 0) {
      if (users[entry] === 0) unusedBytes -= lengthOf(entry);
      users[entry] = (users[entry] as number) + 1;
    }
    entryOf[item] = entry;
  }

  function compareRange(entry: number, other: Uint8Array, from: number, to: number): number {
    let at = starts[entry] as number;
    const end = endOf(entry);
    for (let otherAt = from; at < end && otherAt < to; at++, otherAt++) {
      const difference = (arena[at] as number) - (other[otherAt] as number);
      if (difference !== 0) return difference;
    }
    return lengthOf(entry) - (to - from);
  }

  function intern(text: string): number {
    const key = folded(text);
    const known = shared.get(key);
    if (known !== undefined) return known;
    const entry = append(Buffer.from(key));
    if (shared.size < SHARED_MAX) shared.set(key, entry);
    return entry;
  }

  /** Whether each entry holds the bytes; undefined when none does. */
  function entriesHolding(needle: Uint8Array): Uint8Array | undefined {
    const all = Buffer.from(arena.buffer, 0, arenaLength);
    const found = new Uint8Array(entries);
    let entry = 1;
    let hits = 0;
    // Nothing is faster at finding nothing; where there is much to find, a look at each entry is.
    for (let from = 0; hits < HITS_MAX; hits++) {
      const at = all.indexOf(needle, from);
      if (at === -1) return hits > 0 ? found : undefined;
      entry = entryAt(at, entry);
      found[entry] = 1;
      from = starts[++entry] as number;
      if (entry === entries) return found;
    }
    for (; entry < entries; entry++) if (holds(entry, needle)) found[entry] = 1;
    return found;
  }

  /** The entry that a byte belongs to, which is not before `from`. */
  function entryAt(at: number, from: number): number {
    let low = from;
    let step = 1;
    while (low + step < entries && (starts[low + step] as number) <= at) {
      low += step;
      step *= 2;
    }
    let high = Math.min(low + step, entries);
    while (low + 1 < high) {
      const middle = (low + high) >>> 1;
      if ((starts[middle] as number) <= at) low = middle;
      else high = middle;
    }
    return low;
  }

  function holds(entry: number, needle: Uint8Array): boolean {
    const last = endOf(entry) - needle.length;
    const first = needle[0] as number;
    for (let at = starts[entry] as number; at <= last; at++) {
      if (arena[at] !== first) continue;
      let matched = 1;
      while (matched < needle.length && arena[at + matched] === needle[matched]) matched++;
      if (matched === needle.length) return true;
    }
    return false;
  }

  return {
    set(item, text) {
      entryOf = grown(entryOf, item + 1);
      const before = entryOf[item] as number;
      if (text === null) {
        use(item, 0);
        return before !== 0;
      }
      if (before !== 0) {
        const bytes = foldedBytes(text);
        if (compareRange(before, bytes, 0, bytes.length) === 0) return false;
      }
      use(item, intern(text));
      return true;
    },
    has: (item) => entryOf[item] !== 0,
    compare(a, b) {
      const one = entryOf[a] as number;
      const other = entryOf[b] as number;
      if (one === other) return 0;
      if (one === 0) return 1;
      if (other === 0) return -1;
      return compareRange(one, arena, starts[other] as number, endOf(other));
    },
    compareBytes: (item, bytes) => compareRange(entryOf[item] as number, bytes, 0, bytes.length),
    textOf: (item) => (entryOf[item] === 0 ? null : textAt(entryOf[item] as number)),
    fillHolding(bits, text) {
      const found = entriesHolding(foldedBytes(text));
      if (!found) return;
      const items = Math.min(entryOf.length, bits.length * 32);
      for (let item = 0; item < items; item++) {
        if (found[entryOf[item] as number] === 1) setBit(bits, item);
      }
    },
    get bytes() {
      return arenaLength;
    },
    get unusedBytes() {
      return unusedBytes;
    },
  };

  function textAt(entry: number): string {
    return Buffer.from(arena.buffer, starts[entry] as number, lengthOf(entry)).toString();
  }
}
