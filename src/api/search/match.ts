/** Which tokens of a collection a filter lets through. */

import { addBits, type Bits, dropBits, eachBit, emptyBits, keepBits } from "./bits.ts";
import type { CollectionIndex } from "./collection-index.ts";
import type { TokenFilter } from "./query.ts";

/** What the chain says of the collection's tokens, as slots. */
export interface ChainSlots {
  readonly burned: Bits;
  /** Where the filter asks for it. */
  readonly locked?: Bits | undefined;
  readonly owned?: Bits | undefined;
}

/** The slots of all tokens that are listed: those that exist and are not burned. */
export function listedSlots({ ids, present }: CollectionIndex, { burned }: ChainSlots): Bits {
  const bits = emptyBits(ids.size);
  addBits(bits, present.subarray(0, bits.length));
  dropBits(bits, burned);
  return bits;
}

export function matchingSlots(index: CollectionIndex, filter: TokenFilter, chain: ChainSlots): Bits {
  const bits = listedSlots(index, chain);
  for (const { name, values } of filter.criteria) keepBits(bits, slotsWithAny(index, name, values));
  for (const range of filter.ranges) keepBits(bits, slotsInRange(index, range));
  if (filter.text !== undefined && filter.text !== "") keepBits(bits, slotsWithText(index, filter.text));
  if (filter.name !== undefined && filter.name !== "") keepBits(bits, slotsWithName(index, filter.name));
  if (filter.owner !== undefined) keepBits(bits, chain.owned ?? emptyBits(0));
  if (filter.locked === true) keepBits(bits, chain.locked ?? emptyBits(0));
  if (filter.locked === false) dropBits(bits, chain.locked ?? emptyBits(0));
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
  const { table } = index;
  const type = table.find(name);
  const isNumeric = type?.displayType === "number" || type?.displayType === "date";
  const least = from ?? Number.NEGATIVE_INFINITY;
  const most = to ?? Number.POSITIVE_INFINITY;
  const values = !isNumeric
    ? []
    : type.values.filter((value) => {
        const number = table.numberOf(value);
        return number >= least && number <= most && table.isShown(value);
      });
  return slotsHolding(index, values);
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
