/** Tokens in the order of one trait: by their lowest value of it ascending, by their highest descending. */

import { type Bits, countBits, dropBits, eachBit, emptyBits, keepBits } from "./bits.ts";
import type { CollectionIndex } from "./collection-index.ts";
import { type SortKey, wrongKind } from "./cursor.ts";
import type { Ranking } from "./rankings.ts";
import type { TraitType } from "./trait-table.ts";

// Slots of the first part, about. Each part is some times larger than the one before, so that there are few.
const PART_SLOTS = 16;
const PART_FACTOR = 4;
// A look at each slot's values costs about this part of finding the slots of each value.
const FEW_SHARE = 1 / 32;

/** Ranks from 1 in the direction of the order, the same for values that compare alike. */
interface Ranks {
  /** By value; 0 for one that is not the trait's, or held back. */
  readonly ofValue: Uint32Array;
  /** A value of each rank, by rank. */
  readonly values: readonly number[];
  /** All values, in the direction of the order. */
  readonly ordered: Uint32Array;
  /** Of tokens without the trait. */
  readonly last: number;
}

export function rankByTrait(
  index: CollectionIndex,
  type: TraitType,
  descending: boolean,
  slots: Bits,
): Ranking {
  const { ids, table } = index;
  const ranks = rankValues(index, type, descending);
  /** Filled in part by part. */
  const rankOf = new Uint32Array(ids.size);
  const isNumeric = type.displayType === "number" || type.displayType === "date";
  const direction = descending ? -1 : 1;

  const keyOfRank = (rank: number): SortKey => {
    const value = ranks.values[rank];
    if (value === undefined) return null;
    return isNumeric ? table.numberOf(value) : table.folded.textOf(value);
  };

  /** The rank of a key, or half a rank between its neighbours where no value has it any more. */
  function placeOf(key: SortKey): number {
    if (key === null) return ranks.last;
    if (typeof key !== (isNumeric ? "number" : "string")) throw wrongKind();
    const bytes = Buffer.from(String(key));
    const compare = (rank: number): number => {
      const value = ranks.values[rank] as number;
      const place = isNumeric ? table.numberOf(value) - Number(key) : table.folded.compareBytes(value, bytes);
      return direction * place;
    };
    let from = 1;
    let to = ranks.last;
    while (from < to) {
      const middle = (from + to) >>> 1;
      if (compare(middle) < 0) from = middle + 1;
      else to = middle;
    }
    return from < ranks.last && compare(from) === 0 ? from : from - 0.5;
  }

  return {
    order: undefined,
    compare: (a, b) => (rankOf[a] as number) - (rankOf[b] as number) || ids.compare(a, b),
    keyOf: (slot) => keyOfRank(rankOf[slot] as number),
    after({ key, tokenId }) {
      const place = placeOf(key);
      return (slot) => ((rankOf[slot] as number) - place || ids.compareText(slot, tokenId)) > 0;
    },
    *parts(position) {
      const from = position ? placeOf(position.key) : 0;
      for (const part of partsFrom(index, slots, ranks, from)) {
        rankSlots(index, part, ranks, rankOf);
        yield part;
      }
    },
  };
}

/**
 * The slots by their values' ranks, some ranks at a time from the one given, and at last those without the trait. A slot
 * with several values comes with the first of them, or where the ranks before are left out, with a later one.
 */
function* partsFrom(index: CollectionIndex, slots: Bits, ranks: Ranks, from: number): Iterable<Bits> {
  const { table, postings } = index;
  if (countBits(slots) < index.ids.size * FEW_SHARE) {
    yield slots;
    return;
  }
  const left = slots.slice();
  let enough = PART_SLOTS;
  let at = ranks.ordered.findIndex((value) => (ranks.ofValue[value] as number) >= from);
  const skipped = at === -1 ? ranks.ordered : ranks.ordered.subarray(0, at);
  while (at !== -1 && at < ranks.ordered.length) {
    const values: number[] = [];
    let held = 0;
    let rank = 0;
    // A rank is not divided.
    for (; at < ranks.ordered.length; at++) {
      const value = ranks.ordered[at] as number;
      if (held >= enough && ranks.ofValue[value] !== rank) break;
      rank = ranks.ofValue[value] as number;
      held += table.held[value] as number;
      values.push(value);
    }
    const part = emptyBits(index.ids.size);
    postings.fill(part, values);
    keepBits(part, left);
    dropBits(left, part);
    enough *= PART_FACTOR;
    yield part;
  }
  const before = emptyBits(index.ids.size);
  postings.fill(before, Array.from(skipped));
  dropBits(left, before);
  yield left;
}

function rankValues({ table }: CollectionIndex, type: TraitType, descending: boolean): Ranks {
  const ordered = type.order?.settled() ?? new Uint32Array(0);
  const compare = table.compareWithin(type);
  const ofValue = new Uint32Array(table.size);
  const values: number[] = [-1];
  const { length } = ordered;
  for (let nth = 0; nth < length; nth++) {
    const value = ordered[descending ? length - 1 - nth : nth] as number;
    const before = values.at(-1) as number;
    if (values.length === 1 || compare(before, value) !== 0) values.push(value);
    ofValue[value] = values.length - 1;
  }
  return { ofValue, values, ordered: descending ? ordered.toReversed() : ordered, last: values.length };
}

/** The rank of each slot: of its value that comes first. */
function rankSlots(
  { rows }: CollectionIndex,
  slots: Bits,
  { ofValue, last }: Ranks,
  ranks: Uint32Array,
): void {
  const { pool, starts, lengths } = rows;
  eachBit(slots, (slot) => {
    const start = starts[slot] as number;
    const end = start + (lengths[slot] as number);
    let first = last;
    for (let at = start; at < end; at++) {
      const rank = ofValue[pool[at] as number] as number;
      if (rank !== 0 && rank < first) first = rank;
    }
    ranks[slot] = first;
  });
}
