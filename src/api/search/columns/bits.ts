/** Bit sets of slots, in words of 32 bits. */

export type Bits = Uint32Array<ArrayBuffer>;

const WORD = 5;
const IN_WORD = 31;

/** An empty set with capacity for `slots` slots. */
export const emptyBits = (slots: number): Bits => new Uint32Array((slots + IN_WORD) >>> WORD);

export const hasBit = (bits: Bits, slot: number): boolean =>
  (((bits[slot >>> WORD] as number) >>> (slot & IN_WORD)) & 1) === 1;

export function setBit(bits: Bits, slot: number): void {
  bits[slot >>> WORD] = (bits[slot >>> WORD] as number) | (1 << (slot & IN_WORD));
}

export function clearBit(bits: Bits, slot: number): void {
  bits[slot >>> WORD] = (bits[slot >>> WORD] as number) & ~(1 << (slot & IN_WORD));
}

/** Adds part of a slot list; twice as fast as `setBit` where slots are close together. Ignores slots beyond the set. */
export function addSlots(bits: Bits, slots: Uint32Array, from: number, to: number): void {
  let word = 0;
  let mask = 0;
  for (let at = from; at < to; at++) {
    const slot = slots[at] as number;
    if (slot >>> WORD !== word) {
      bits[word] = (bits[word] as number) | mask;
      word = slot >>> WORD;
      mask = 0;
    }
    mask |= 1 << (slot & IN_WORD);
  }
  if (mask !== 0) bits[word] = (bits[word] as number) | mask;
}

/** Counts how many slots of part of a list are in `bits`; none may lie beyond the set. */
export function countAmong(bits: Bits, slots: Uint32Array, from: number, to: number): number {
  let count = 0;
  for (let at = from; at < to; at++) {
    const slot = slots[at] as number;
    // Branch-free: membership is unpredictable, so a branch would take ten times as long.
    count += ((bits[slot >>> WORD] as number) >>> (slot & IN_WORD)) & 1;
  }
  return count;
}

/** Intersects `bits` with `others`, which may be shorter. */
export function keepBits(bits: Bits, others: Bits): void {
  for (let word = 0; word < bits.length; word++) bits[word] = (bits[word] as number) & (others[word] ?? 0);
}

/** Subtracts `others`, which may be shorter, from `bits`. */
export function dropBits(bits: Bits, others: Bits): void {
  const words = Math.min(bits.length, others.length);
  for (let word = 0; word < words; word++) bits[word] = (bits[word] as number) & ~(others[word] as number);
}

/** Adds `others`, which must not be longer, to `bits`. */
export function addBits(bits: Bits, others: Bits): void {
  for (let word = 0; word < others.length; word++) {
    bits[word] = (bits[word] as number) | (others[word] as number);
  }
}

export function countBits(bits: Bits): number {
  let total = 0;
  for (let word = 0; word < bits.length; word++) {
    // Population count in parallel (Hacker's Delight, 5-1).
    let left = bits[word] as number;
    left -= (left >>> 1) & 0x55555555;
    left = (left & 0x33333333) + ((left >>> 2) & 0x33333333);
    total += Math.imul((left + (left >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
  }
  return total;
}

/** Visits the slots in ascending order. */
export function eachBit(bits: Bits, visit: (slot: number) => void): void {
  for (let word = 0; word < bits.length; word++) {
    let left = bits[word] as number;
    while (left !== 0) {
      const bit = IN_WORD - Math.clz32(left & -left);
      visit((word << WORD) | bit);
      left &= left - 1;
    }
  }
}

export function areEqualBits(a: Bits, b: Bits): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let word = 0; word < a.length; word++) if (a[word] !== b[word]) return false;
  return true;
}
