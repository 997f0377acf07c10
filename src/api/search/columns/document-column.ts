/** The document of each slot as a number: slots with the same number have the same document. */

import { type Bits, emptyBits, hasBit, setBit } from "./bits.ts";
import { grown } from "./ensure-capacity.ts";

/** Characters of a document's hash in hexadecimal: 64 bits distinguish the documents of a collection. */
export const DOCUMENT_KEY_CHARACTERS = 16;
const HALF = 8;
const PLACES_MIN = 1_024;

export interface DocumentColumn {
  /** Whether the column has the documents of all slots. It takes memory from the first `begin` on. */
  readonly isComplete: boolean;
  /** Sets a slot's document by its key, or none. Ignored before `begin`. */
  set(slot: number, key: string | null): void;
  /** Begins to read the documents of all slots. */
  begin(): void;
  /** Sets a slot's document as it was read since `begin`, unless it was set meanwhile. */
  fill(slot: number, key: string): void;
  /** Every slot has been filled. */
  end(): void;
  /** The number of a slot's document, from 1; 0 without any. */
  of(slot: number): number;
  /** One more than the largest number. */
  readonly size: number;
  /** The memory it takes. */
  readonly memory: number;
}

export function createDocumentColumn(): DocumentColumn {
  let state: "unread" | "reading" | "complete" = "unread";
  let documents = new Uint32Array(0);
  let written: Bits = emptyBits(0);
  // By number; 0 is free in `places`, a hash table with linear probing.
  let high = new Uint32Array(1);
  let low = new Uint32Array(1);
  let places = new Uint32Array(PLACES_MIN);
  let size = 1;

  function placeOf(one: number, other: number): number {
    const mask = places.length - 1;
    for (let place = (one ^ other) & mask; ; place = (place + 1) & mask) {
      const number = places[place] as number;
      if (number === 0 || (high[number] === one && low[number] === other)) return place;
    }
  }

  function numberOf(key: string): number {
    const one = Number.parseInt(key.slice(0, HALF), 16) >>> 0;
    const other = Number.parseInt(key.slice(HALF, DOCUMENT_KEY_CHARACTERS), 16) >>> 0;
    const place = placeOf(one, other);
    const known = places[place] as number;
    if (known !== 0) return known;
    const number = size++;
    high = grown(high, size);
    low = grown(low, size);
    high[number] = one;
    low[number] = other;
    places[place] = number;
    if (size * 2 > places.length) {
      places = new Uint32Array(places.length * 2);
      for (let each = 1; each < size; each++)
        places[placeOf(high[each] as number, low[each] as number)] = each;
    }
    return number;
  }

  function put(slot: number, key: string | null): void {
    documents = grown(documents, slot + 1);
    documents[slot] = key === null ? 0 : numberOf(key);
  }

  return {
    get isComplete() {
      return state === "complete";
    },
    set(slot, key) {
      if (state === "unread") return;
      put(slot, key);
      if (state === "complete") return;
      written = grown(written, (slot >>> 5) + 1);
      setBit(written, slot);
    },
    begin() {
      state = "reading";
      written = emptyBits(0);
    },
    fill(slot, key) {
      if (!hasBit(written, slot)) put(slot, key);
    },
    end() {
      state = "complete";
      written = emptyBits(0);
    },
    of: (slot) => documents[slot] ?? 0,
    get size() {
      return size;
    },
    get memory() {
      return documents.byteLength + high.byteLength + low.byteLength + places.byteLength;
    },
  };
}
