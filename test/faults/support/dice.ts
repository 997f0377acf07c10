/** Reproducible random moments: the seed is printed, and FAULTS_SEED sets it. */

import { randomInt } from "node:crypto";
import { say } from "./figures.ts";

const SEED_MAX = 2 ** 32 - 1;

export interface Dice {
  /** From 0 up to, but not including, 1. */
  next(): number;
  /** An integer from `min` to `max`, both included. */
  whole(min: number, max: number): number;
}

/** Throws when FAULTS_SEED is set to anything but a 32-bit integer. */
export function createDice(test: string): Dice {
  const seed = readSeed();
  say({ test, seed });
  // Mulberry32: 32 bits of state are enough for choosing moments.
  let state = seed;
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return { next, whole: (min, max) => min + Math.floor(next() * (max - min + 1)) };
}

function readSeed(): number {
  const text = process.env.FAULTS_SEED;
  if (!text) return randomInt(SEED_MAX);
  if (/^[0-9]{1,10}$/.test(text) && Number(text) <= SEED_MAX) return Number(text);
  throw new Error(`FAULTS_SEED must be a whole number from 0 to ${SEED_MAX}; it is "${text}"`);
}
