/** Finds the tokens of a collection that match a filter. */

import { addBits, type Bits, dropBits, eachBit, emptyBits, keepBits } from "../columns/bits.ts";
import type { TokenFilter } from "../query.ts";
import type { CollectionIndex } from "./collection-index.ts";

/** The chain state of the collection's tokens, as slots. */
export interface ChainSlots {
  readonly burned: Bits;
  /** If the filter asks for it. */
  readonly locked?: Bits | undefined;
  /** Replaces `locked`: the tokens that are not locked. */
  readonly unlocked?: Bits | undefined;
  readonly owned?: Bits | undefined;
}

/** The slots of all listed tokens: those that exist and are not burned. */
export function listedSlots({ ids, present }: CollectionIndex, { burned }: ChainSlots): Bits {
  const bits = emptyBits(ids.size);
  addBits(bits, present.subarray(0, bits.length));
  dropBits(bits, burned);
  return bits;
}

/** The slots that match a filter, and those that match parts of it. */
export interface Matches {
  readonly slots: Bits;
  /** Slots that match everything except the trait conditions. */
  readonly apartFromTraits: Bits;
  /** Slots that match all conditions on one trait, by the trait's name. */
  readonly byTrait: ReadonlyMap<string, Bits>;
}

export function matchTokens(index: CollectionIndex, filter: TokenFilter, chain: ChainSlots): Matches {
  const apartFromTraits = slotsApartFromTraits(index, filter, chain);
  const byTrait = new Map<string, Bits>();
  const keep = (name: string, bits: Bits): void => {
    const before = byTrait.get(name);
    if (before) keepBits(before, bits);
    else byTrait.set(name, bits);
  };
  for (const { name, values } of filter.criteria) keep(name, slotsWithAny(index, name, values));
  for (const range of filter.ranges) keep(range.name, slotsInRange(index, range));
  const slots = apartFromTraits.slice();
  for (const bits of byTrait.values()) keepBits(slots, bits);
  return { slots, apartFromTraits, byTrait };
}

/** For each trait with conditions, by name, the slots that match everything except its conditions. */
export function slotsWithoutEach({ apartFromTraits, byTrait }: Matches): Map<string, Bits> {
  const without = new Map<string, Bits>();
  const before = apartFromTraits.slice();
  for (const [name, bits] of byTrait) {
    without.set(name, before.slice());
    keepBits(before, bits);
  }
  const after = apartFromTraits.slice();
  for (const [name, slots] of [...without].reverse()) {
    keepBits(slots, after);
    keepBits(after, byTrait.get(name) as Bits);
  }
  return without;
}

function slotsApartFromTraits(index: CollectionIndex, filter: TokenFilter, chain: ChainSlots): Bits {
  const bits = listedSlots(index, chain);
  if (filter.text !== undefined && filter.text !== "") keepBits(bits, slotsWithText(index, filter.text));
  if (filter.name !== undefined && filter.name !== "") keepBits(bits, slotsWithName(index, filter.name));
  if (filter.owners !== undefined) keepBits(bits, chain.owned ?? emptyBits(0));
  if (filter.locked !== undefined) {
    const isRequested = filter.locked === (chain.unlocked === undefined);
    const given = chain.unlocked ?? chain.locked ?? emptyBits(0);
    if (isRequested) keepBits(bits, given);
    else dropBits(bits, given);
  }
  return bits;
}

function slotsHolding({ ids, postings }: CollectionIndex, values: readonly number[]): Bits {
  const bits = emptyBits(ids.size);
  postings.fill(bits, values);
  return bits;
}

function slotsWithAny(index: CollectionIndex, name: string, texts: readonly string[]): Bits {
  const { table } = index;
  const type = table.find(name);
  const values = type ? texts.flatMap((text) => table.equalTo(type, text)) : [];
  return slotsHolding(index, values);
}

function slotsInRange(index: CollectionIndex, { name, from, to }: TokenFilter["ranges"][number]): Bits {
  const { ids, postings, table } = index;
  const bits = emptyBits(ids.size);
  const type = table.find(name);
  if (type?.displayType !== "number" && type?.displayType !== "date") return bits;
  const least = from ?? Number.NEGATIVE_INFINITY;
  const most = to ?? Number.POSITIVE_INFINITY;
  const ordered = table.orders.of(type);
  const start = countBelow(ordered, (value) => table.numberOf(value) < least);
  const end = countBelow(ordered, (value) => table.numberOf(value) <= most);
  postings.fillBetween(bits, type, ordered.subarray(start, Math.max(start, end)), (value) => {
    const number = table.numberOf(value);
    return table.typeOf(value) === type.at && table.isShown(value) && number >= least && number <= most;
  });
  return bits;
}

/** Binary search: the number of values below the bound. `ordered` must be ascending. */
export function countBelow(ordered: Uint32Array, isBelow: (value: number) => boolean): number {
  let from = 0;
  let to = ordered.length;
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (isBelow(ordered[middle] as number)) from = middle + 1;
    else to = middle;
  }
  return from;
}

function slotsWithText(index: CollectionIndex, text: string): Bits {
  const { names, descriptions, table } = index;
  const inValues = emptyBits(table.size);
  table.folded.fillHolding(inValues, text);
  const values: number[] = [];
  eachBit(inValues, (value) => table.isShown(value) && values.push(value));
  const bits = slotsHolding(index, values);
  names.fillHolding(bits, text);
  descriptions.fillHolding(bits, text);
  return bits;
}

function slotsWithName({ ids, names }: CollectionIndex, text: string): Bits {
  const bits = emptyBits(ids.size);
  names.fillHolding(bits, text);
  return bits;
}
