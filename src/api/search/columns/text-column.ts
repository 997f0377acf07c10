/** Folded texts by item, mostly deduplicated and stored as bytes off the heap. */

import { type Bits, setBit } from "./bits.ts";
import { searchOf } from "./byte-search.ts";
import { grown } from "./ensure-capacity.ts";
import { FOLDED_CHARACTERS_MAX, firstCharacters, folded, foldedBytes } from "./folded-text.ts";
import { createTrigramSignatures } from "./trigram-signatures.ts";

// Enough for texts shared across a collection, which appear early.
const SHARED_MAX = 10_000;
// Never occurs in UTF-8: prevents a match across the end of one text and the start of the next.
const SEPARATOR = 0xff;
// A hit of the whole-arena search costs about as much as checking some thirty entries.
const HITS_MIN = 5_000;
// What has no signatures yet is searched in two milliseconds.
const SIGNED_BYTES = 1 << 22;
const HITS_SHARE = 1 / 64;
// A short key in a map.
const SHARED_BYTES = 100;
// A power of two, several times `SHARED_MAX`.
const HASH_PLACES = 32_768;

export interface TextColumn {
  /** Returns whether the item's text changed. */
  set(item: number, text: string | null): boolean;
  /** Sets a new item's text, of UTF-8 bytes. */
  setBytes(item: number, bytes: Buffer, from: number, to: number): void;
  /** Call it after the last `setBytes`: frees what only that needs. */
  endBulk(): void;
  has(item: number): boolean;
  /**
   * The eight bytes of each item's text after the start that all of them share, as two big-endian words. The items must
   * have a text.
   */
  fillKeys(items: Uint32Array, high: Uint32Array, low: Uint32Array): void;
  /** By code point. Items without a text come last and compare as equal. */
  compare(a: number, b: number): number;
  /** Compares an item's text with the bytes of a folded text; the item must have one. */
  compareBytes(item: number, bytes: Uint8Array): number;
  /** The folded text. */
  textOf(item: number): string | null;
  /** Sets the bits of items whose text contains this one, ignoring case. Ignores items beyond the set. */
  fillHolding(bits: Bits, text: string): void;
  readonly bytes: number;
  /** Bytes of texts that no item uses any more. */
  readonly unusedBytes: number;
  /** The memory it takes, roughly. */
  readonly memory: number;
}

export function createTextColumn(): TextColumn {
  let arena = new Uint8Array(0);
  let arenaLength = 0;
  // Entry 0 means no text. An entry ends one separator before the next one starts.
  let starts = new Uint32Array([0, 0]);
  let entries = 1;
  let entryOf = new Uint32Array(0);
  let users = new Uint32Array(0);
  let unusedBytes = 0;
  const shared = new Map<string, number>();
  // The entries of bytes, by hash; 0 is free.
  let byHash = new Uint32Array(0);
  let hashed = 0;
  const signatures = createTrigramSignatures(entries);

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
    return added(bytes.length);
  }

  /** Counts an entry whose bytes and ends are in place, and returns it. */
  function added(bytes: number): number {
    unusedBytes += bytes;
    const entry = entries++;
    if (arenaLength - (starts[signatures.end] as number) >= SIGNED_BYTES)
      signatures.add({ bytes: arena, starts }, entries);
    return entry;
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

  /** Appends ASCII text in lower case, or finds it among the first ones. Undefined if it is not ASCII. */
  function internAscii(bytes: Buffer, from: number, to: number): number | undefined {
    arena = grown(arena, arenaLength + (to - from) + 1);
    let hash = 0x811c9dc5;
    let end = arenaLength;
    for (let at = from; at < to; at++) {
      const byte = bytes[at] as number;
      if (byte >= 0x80) return undefined;
      const lower = byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte;
      arena[end++] = lower;
      hash = Math.imul(hash ^ lower, 0x01000193);
    }
    if (byHash.length === 0) byHash = new Uint32Array(HASH_PLACES);
    let place = (hash ^ (hash >>> 15)) & (HASH_PLACES - 1);
    for (; byHash[place] !== 0; place = (place + 1) & (HASH_PLACES - 1)) {
      const entry = byHash[place] as number;
      if (compareRange(entry, arena, arenaLength, end) === 0) return entry;
    }
    // The bytes are in place: only the entry is missing.
    starts = grown(starts, entries + 2);
    starts[entries] = arenaLength;
    arenaLength = end;
    arena[arenaLength++] = SEPARATOR;
    starts[entries + 1] = arenaLength;
    users = grown(users, entries + 1);
    if (hashed < SHARED_MAX) {
      byHash[place] = entries;
      hashed++;
    }
    return added(to - from);
  }

  /** Whether each entry contains the bytes; undefined if none does. */
  function entriesHolding(needle: Uint8Array): Uint8Array | undefined {
    const found = new Uint8Array(entries);
    const blocks = signatures.blocksWith(needle);
    let isFound = false;
    for (let at = 0; blocks && at < blocks.length; at += 2)
      isFound = checkEntries(found, needle, blocks[at] as number, blocks[at + 1] as number) || isFound;
    isFound = searchFrom(found, needle, blocks ? signatures.end : 1) || isFound;
    return isFound ? found : undefined;
  }

  /** Marks the entries from this one on that contain the bytes; returns whether any does. */
  function searchFrom(found: Uint8Array, needle: Uint8Array, first: number): boolean {
    const all = Buffer.from(arena.buffer, 0, arenaLength);
    const hitsMax = Math.max(HITS_MIN, (entries - first) * HITS_SHARE);
    let entry = first;
    // `indexOf` is fastest when there are few hits; with many, checking each entry is faster.
    for (let hits = 0; hits < hitsMax; hits++) {
      const at = entry === entries ? -1 : all.indexOf(needle, starts[entry]);
      if (at === -1) return hits > 0;
      entry = entryAt(at, entry);
      found[entry++] = 1;
    }
    checkEntries(found, needle, entry, entries);
    return true;
  }

  /** Marks the entries of a range that contain the bytes; returns whether any does. */
  function checkEntries(found: Uint8Array, needle: Uint8Array, from: number, to: number): boolean {
    const holds = searchOf(needle);
    let isFound = false;
    for (let entry = from; entry < to; entry++) {
      if (!holds(arena, starts[entry] as number, endOf(entry))) continue;
      found[entry] = 1;
      isFound = true;
    }
    return isFound;
  }

  /** The entry that contains a byte; it must not be before `from`. */
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
    setBytes(item, bytes, from, to) {
      entryOf = grown(entryOf, item + 1);
      const entry = to - from <= FOLDED_CHARACTERS_MAX ? internAscii(bytes, from, to) : undefined;
      use(item, entry ?? intern(firstCharacters(bytes.toString("utf8", from, to))));
    },
    endBulk() {
      byHash = new Uint32Array(0);
      hashed = 0;
    },
    has: (item) => entryOf[item] !== 0,
    fillKeys(items, high, low) {
      const skip = sharedLength(items);
      const keyAt = (at: number, end: number): number => {
        let key = 0;
        for (let nth = 0; nth < 4; nth++)
          key = (key << 8) | (at + nth < end ? (arena[at + nth] as number) : 0);
        return key >>> 0;
      };
      for (let nth = 0; nth < items.length; nth++) {
        const entry = entryOf[items[nth] as number] as number;
        const at = (starts[entry] as number) + skip;
        high[nth] = keyAt(at, endOf(entry));
        low[nth] = keyAt(at + 4, endOf(entry));
      }
    },
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
    get memory() {
      const columns = [arena, starts, entryOf, users, byHash];
      const others = shared.size * SHARED_BYTES + signatures.memory;
      return columns.reduce((sum, { byteLength }) => sum + byteLength, others);
    },
  };

  /** The number of bytes with which the texts of all items begin. */
  function sharedLength(items: Uint32Array): number {
    const first = entryOf[items[0] ?? 0] ?? 0;
    let length = items.length === 0 ? 0 : lengthOf(first);
    for (let nth = 1; nth < items.length && length > 0; nth++) {
      const entry = entryOf[items[nth] as number] as number;
      length = Math.min(length, lengthOf(entry));
      const [a, b] = [starts[first] as number, starts[entry] as number];
      let same = 0;
      while (same < length && arena[a + same] === arena[b + same]) same++;
      length = same;
    }
    return length;
  }

  function textAt(entry: number): string {
    return Buffer.from(arena.buffer, starts[entry] as number, lengthOf(entry)).toString();
  }
}
