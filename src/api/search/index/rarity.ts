/**
 * Rarity after OpenRarity: a token's information content over its shown string and boolean traits, divided by the
 * collection's entropy (https://openrarity.gitbook.io/developers/fundamentals/methodology).
 */

import type { YieldToEventLoop } from "../../async/yield-to-event-loop.ts";
import { type Bits, hasBit } from "../columns/bits.ts";
import { grown } from "../columns/ensure-capacity.ts";
import { createOrder, type Order, sortItems } from "../columns/order.ts";
import { fillNewestKeys, radixSort } from "../columns/radix-sort.ts";
import type { TraitType } from "../columns/trait-table.ts";
import { countTypes } from "../columns/value-counts.ts";
import type { CollectionIndex } from "./collection-index.ts";
import { compareNewest } from "./compare-newest.ts";

const STEP = 8_192;
// Tokens of the same rarity may be this far apart, as a share of a score above 1, since logarithms are rounded and summed in
// any order.
const ROUNDING = 1e-11;
const SHOWN_SCALE = 1e9;

export interface TokenRarity {
  /** From 1, the rarest. Tokens of the same score share a rank, and the next ranks are left out. */
  readonly rank: number;
  /** Information content by the entropy of the collection; 0 if all its tokens are alike. */
  readonly score: number;
  /** The number of ranked tokens: all that are listed. */
  readonly of: number;
}

/** The rarity of a collection's tokens at one moment. */
export interface Rarity {
  /** The slots by score, rarest first, ties by id. Slots that were added later come last. */
  readonly order: Order;
  /** By slot; NaN for slots that were added later. Covers all slots of the index after `settle`. */
  readonly scores: Float64Array<ArrayBuffer>;
  /** Undefined for a slot that was added or was not listed then. */
  of(slot: number): TokenRarity | undefined;
  /** Takes in the slots that the index has by now. */
  settle(): void;
  /** The memory it takes. */
  readonly memory: number;
}

/** What was counted over the listed slots. */
export interface RarityCounts {
  readonly slots: Bits;
  readonly counts: Uint32Array;
  readonly total: number;
}

/**
 * Ranks all tokens in slices. Counts are those at the start; a token that changes meanwhile may be ranked by either of
 * its states. Undefined if no listed token has a string or boolean trait: then none is rarer than another.
 */
export async function rankByRarity(
  index: CollectionIndex,
  listed: RarityCounts,
  yieldToEventLoop: YieldToEventLoop,
): Promise<Rarity | undefined> {
  const bits = bitsOf(index, listed);
  if (bits === undefined) return undefined;
  // Copies: the listed slots and the orders may be replaced meanwhile.
  const slots = listed.slots.slice();
  const items = index.orders.id_asc.settled().slice();
  let scores = new Float64Array(index.ids.size).fill(Number.NaN);
  for (let from = 0; from < items.length; from += STEP) {
    fillScores(index, bits, items.subarray(from, from + STEP), scores);
    await yieldToEventLoop();
  }
  const [high, low] = [new Uint32Array(items.length), new Uint32Array(items.length)];
  fillNewestKeys(items, scores, high, low);
  await radixSort(items, high, low, yieldToEventLoop);
  await joinEqual(index, items, scores, yieldToEventLoop);

  const ranks = new Uint32Array(scores.length);
  let passed = 0;
  let rank = 0;
  let before = Number.NaN;
  for (let at = 0; at < items.length; at++) {
    const slot = items[at] as number;
    if (!hasBit(slots, slot)) continue;
    passed++;
    if (scores[slot] !== before) rank = passed;
    before = scores[slot] as number;
    ranks[slot] = rank;
  }

  const order = createOrder(
    (a, b) => compareNewest(scores[a] as number, scores[b] as number) || index.ids.compare(a, b),
    (slot) => hasBit(index.present, slot),
  );
  order.adopt(items);
  let covered = scores.length;
  return {
    order,
    get scores() {
      return scores;
    },
    of(slot) {
      const rank = ranks[slot];
      return rank ? { rank, score: shownScore(scores[slot] as number), of: passed } : undefined;
    },
    settle() {
      const { size } = index.ids;
      const capacity = scores.length;
      scores = grown(scores, size);
      scores.fill(Number.NaN, capacity);
      for (; covered < size; covered++) order.markDirty(covered);
    },
    get memory() {
      return scores.byteLength + ranks.byteLength + order.memory;
    },
  };
}

/** The bits of information of each value and of each type's absence, divided by the collection's entropy. */
interface InformationBits {
  readonly ofValue: Float64Array;
  /** By type; a token that has one loses it. */
  readonly ofAbsence: Float64Array;
  /** Of a token without any trait. */
  readonly none: number;
  /** By type, the last slot seen with a value of it, counted from 1. */
  readonly lastSlots: Uint32Array;
}

const countsForRarity = ({ displayType }: TraitType): boolean =>
  displayType === "string" || displayType === "bool";

function bitsOf(index: CollectionIndex, { slots, counts, total }: RarityCounts): InformationBits | undefined {
  const { table } = index;
  const withType = countTypes(index, slots, counts);
  const ofValue = new Float64Array(table.size);
  const ofAbsence = new Float64Array(table.types.length);
  // At least one: tokens that aren't listed have values that no listed one has.
  const informationOf = (count: number): number => -Math.log2(Math.min(1, Math.max(1, count) / total));
  let entropy = 0;
  let none = 0;
  let isRanked = false;
  for (const type of table.types) {
    const count = withType[type.at] as number;
    if (!countsForRarity(type) || count === 0) continue;
    isRanked = true;
    const bits = informationOf(total - count);
    ofAbsence[type.at] = bits;
    none += bits;
    entropy += ((total - count) / total) * bits;
  }
  if (!isRanked) return undefined;
  for (let value = 0; value < ofValue.length; value++) {
    if (!table.isShown(value) || !countsForRarity(table.types[table.typeOf(value)] as TraitType)) continue;
    const count = counts[value] ?? 0;
    const bits = informationOf(count);
    ofValue[value] = bits;
    entropy += (count / total) * bits;
  }
  // Without entropy, all tokens are alike.
  const normalised = (bits: number): number => (entropy === 0 ? 0 : bits / entropy);
  return {
    ofValue: ofValue.map(normalised),
    ofAbsence: ofAbsence.map(normalised),
    none: normalised(none),
    lastSlots: new Uint32Array(table.types.length),
  };
}

function fillScores(
  { rows, table }: CollectionIndex,
  { ofValue, ofAbsence, none, lastSlots }: InformationBits,
  slots: Uint32Array,
  scores: Float64Array,
): void {
  const { pool, starts, lengths } = rows;
  for (const slot of slots) {
    const start = starts[slot] as number;
    const end = start + (lengths[slot] as number);
    let score = none;
    for (let at = start; at < end; at++) {
      const value = pool[at] as number;
      // A value that came meanwhile counts for nothing yet.
      if (value >= ofValue.length || !table.isShown(value)) continue;
      score += ofValue[value] as number;
      const type = table.typeOf(value);
      if (lastSlots[type] === slot + 1) continue;
      lastSlots[type] = slot + 1;
      score -= ofAbsence[type] as number;
    }
    scores[slot] = Math.max(0, score);
  }
}

/** Without the digits that depend on the order of the sum, so that every process shows the same. */
const shownScore = (score: number): number => Math.round(score * SHOWN_SCALE) / SHOWN_SCALE;

const roundingOf = (score: number): number => ROUNDING * Math.max(1, score);

/** Whether two processes may have ranked one token by these scores, or by scores of tokens that share a rank. */
export const isSameScore = (one: number, other: number): boolean =>
  one === other || Math.abs(one - other) < roundingOf(one) / 2;

/** Gives slots that differ by rounding alone one score, and puts them in the order of their ids. */
async function joinEqual(
  { ids }: CollectionIndex,
  items: Uint32Array<ArrayBuffer>,
  scores: Float64Array,
  yieldToEventLoop: YieldToEventLoop,
): Promise<void> {
  for (let from = 0; from < items.length; ) {
    const score = scores[items[from] as number] as number;
    let end = from + 1;
    let isSame = true;
    for (; end < items.length; end++) {
      const next = scores[items[end] as number] as number;
      if (score - next > roundingOf(score)) break;
      isSame &&= next === score;
    }
    if (!isSame) {
      const run = items.subarray(from, end);
      for (const slot of run) scores[slot] = score;
      await sortItems(run, ids.compare, yieldToEventLoop);
    }
    from = end;
  }
}
