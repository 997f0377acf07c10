/** Token ids by slot, compared as integers of any size. */

import { grown } from "./ensure-capacity.ts";

// Its digits and its place in a map.
const LARGE_ID_BYTES = 180;

export interface TokenIds {
  readonly size: number;
  /** The memory it takes, roughly. */
  readonly memory: number;
  /** Assigns the next slot to a new id. */
  add(tokenId: string): number;
  /** The same for an id below 2^53. */
  addNumber(tokenId: number): number;
  textOf(slot: number): string;
  compare(a: number, b: number): number;
  /** Compares a slot's id with any id. */
  compareText(slot: number, tokenId: string): number;
}

export function createTokenIds(): TokenIds {
  // Infinity marks an id that a double can't represent; its text is stored separately.
  let numbers = new Float64Array(0);
  const large = new Map<number, string>();
  let size = 0;

  const asNumber = (tokenId: string): number => {
    const value = Number(tokenId);
    return Number.isSafeInteger(value) ? value : Number.POSITIVE_INFINITY;
  };
  const byDigits = (a: string, b: string): number => a.length - b.length || (a < b ? -1 : a > b ? 1 : 0);
  const textOf = (slot: number): string => large.get(slot) ?? String(numbers[slot]);

  return {
    get size() {
      return size;
    },
    get memory() {
      return numbers.byteLength + large.size * LARGE_ID_BYTES;
    },
    add(tokenId) {
      numbers = grown(numbers, size + 1);
      const value = asNumber(tokenId);
      numbers[size] = value;
      if (value === Number.POSITIVE_INFINITY) large.set(size, tokenId);
      return size++;
    },
    addNumber(tokenId) {
      numbers = grown(numbers, size + 1);
      numbers[size] = tokenId;
      return size++;
    },
    textOf,
    compare(a, b) {
      const one = numbers[a] as number;
      const other = numbers[b] as number;
      if (one !== other) return one < other ? -1 : 1;
      return one === Number.POSITIVE_INFINITY ? byDigits(textOf(a), textOf(b)) : 0;
    },
    compareText(slot, tokenId) {
      const one = numbers[slot] as number;
      const other = asNumber(tokenId);
      if (one !== other) return one < other ? -1 : 1;
      return one === Number.POSITIVE_INFINITY ? byDigits(textOf(slot), tokenId) : 0;
    },
  };
}
