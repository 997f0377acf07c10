/** Unexpected values from a seed: the same seed and number give the same values. */

export interface Random {
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** An integer from `min` to `max`, both included. */
  whole(min: number, max: number): number;
  chance(share: number): boolean;
  pick<Item>(items: readonly Item[]): Item;
}

/** Mulberry32, seeded with 32 bits, and with a number for one of several sequences. */
export function createRandom(seed: number, number = 0): Random {
  let state = (seed ^ Math.imul(number + 1, 0x9e3779b1)) | 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const whole = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    next,
    whole,
    chance: (share) => next() < share,
    pick: (items) => items[whole(0, items.length - 1)] as (typeof items)[number],
  };
}
