/** Sorts items by keys of 64 bits, in passes over 16 of them. Ties keep their order. */

import type { YieldToEventLoop } from "../../async/yield-to-event-loop.ts";

type Words = Uint32Array<ArrayBuffer>;

const BUCKETS = 65_536;

/** Sorts in place. `high` and `low` are the words of each item's key, and are sorted along. */
export async function radixSort(
  items: Words,
  high: Words,
  low: Words,
  yieldToEventLoop: YieldToEventLoop,
): Promise<void> {
  let from = [items, high, low];
  let to = from.map(({ length }) => new Uint32Array(length));
  for (const [word, shift] of [
    [2, 0],
    [2, 16],
    [1, 0],
    [1, 16],
  ] as const) {
    if (!moveInto(from, to, from[word] as Words, shift)) continue;
    [from, to] = [to, from];
    await yieldToEventLoop();
  }
  if (from[0] === items) return;
  for (const [at, words] of [items, high, low].entries()) words.set(from[at] as Words);
}

/** One pass. False if all keys are the same there, so that nothing moves. */
function moveInto(from: readonly Words[], to: readonly Words[], keys: Words, shift: number): boolean {
  const ends = new Uint32Array(BUCKETS);
  for (let at = 0; at < keys.length; at++) {
    const bucket = ((keys[at] as number) >>> shift) & (BUCKETS - 1);
    ends[bucket] = (ends[bucket] as number) + 1;
  }
  let total = 0;
  for (let bucket = 0; bucket < BUCKETS; bucket++) {
    const count = ends[bucket] as number;
    if (count === keys.length) return false;
    ends[bucket] = total;
    total += count;
  }
  const [items, high, low] = from as [Words, Words, Words];
  const [nextItems, nextHigh, nextLow] = to as [Words, Words, Words];
  for (let at = 0; at < keys.length; at++) {
    const bucket = ((keys[at] as number) >>> shift) & (BUCKETS - 1);
    const place = ends[bucket] as number;
    ends[bucket] = place + 1;
    nextItems[place] = items[at] as number;
    nextHigh[place] = high[at] as number;
    nextLow[place] = low[at] as number;
  }
  return true;
}

/** The keys of numbers in descending order, NaN last. */
export function fillNewestKeys(items: Words, column: Float64Array, high: Words, low: Words): void {
  const one = new Float64Array(1);
  const words = new Uint32Array(one.buffer);
  for (let at = 0; at < items.length; at++) {
    const number = column[items[at] as number] as number;
    // Little-endian, as every platform of Node. Adding 0 makes -0 equal to 0.
    one[0] = number + 0;
    const [lower, upper] = words as unknown as [number, number];
    const isNegative = upper >>> 31 === 1;
    const isNumber = !Number.isNaN(number);
    // The bits of positive numbers ascend with them: their complement descends.
    high[at] = isNumber ? (isNegative ? upper : ~upper & 0x7fff_ffff) : 0xffff_ffff;
    low[at] = isNumber ? (isNegative ? lower : ~lower) : 0xffff_ffff;
  }
}
