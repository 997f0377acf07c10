/** The values of a trait that begin with a text. */

import type { Steps } from "../../async/yield-to-event-loop.ts";
import { folded, foldedBytes } from "../columns/folded-text.ts";
import type { TraitType } from "../columns/trait-table.ts";
import { percentageOf } from "../percentage.ts";
import type { CompletedValues, ValuePrefix } from "../query.ts";
import type { CollectionIndex } from "./collection-index.ts";
import { shownValue } from "./facets.ts";
import { countBelow } from "./match.ts";
import { createTopK } from "./top-k.ts";

// Sorts after every text with the same start: it never occurs in UTF-8.
const AFTER_ALL = 0xff;

// They take a millisecond.
const STEP_VALUES = 5_000;

/**
 * `counts` are over the listed tokens, by value. Neither they nor the search index must change between steps, each of
 * which is a few thousand values.
 */
export function* completeSteps(
  index: CollectionIndex,
  { name, prefix, limit }: ValuePrefix,
  listed: { readonly counts: Uint32Array; readonly total: number },
): Steps<CompletedValues> {
  const { table } = index;
  const type = table.find(name);
  if (!type) return { display_type: null, total: 0, listed: listed.total, values: [] };
  const candidates = valuesFrom(index, type, prefix);
  const countOf = (nth: number): number => listed.counts[candidates[nth] as number] ?? 0;
  const mostFrequent = createTopK(limit, (a, b) => countOf(b) - countOf(a) || a - b);
  const start = folded(prefix);
  let total = 0;
  for (let nth = 0; nth < candidates.length; nth++) {
    if (nth % STEP_VALUES === STEP_VALUES - 1) yield;
    if (countOf(nth) === 0) continue;
    const text = table.textOf(candidates[nth] as number);
    // The text of a number or a date is folded.
    if (text === undefined || (isNumeric(type) && !text.startsWith(start))) continue;
    total++;
    mostFrequent.offer(nth);
  }
  return {
    display_type: type.displayType,
    total,
    listed: listed.total,
    values: mostFrequent.take().map((nth) => ({
      value: shownValue(table, type, candidates[nth] as number),
      count: countOf(nth),
      percentage: percentageOf(countOf(nth), listed.total),
    })),
  };
}

const isNumeric = ({ displayType }: TraitType): boolean => displayType === "number" || displayType === "date";

/** The type's values in order; of a string type, those alone that begin with the prefix. */
function valuesFrom({ table }: CollectionIndex, type: TraitType, prefix: string): Uint32Array {
  const ordered = table.orders.of(type);
  if (isNumeric(type)) return ordered;
  const first = foldedBytes(prefix);
  const last = Buffer.from([...first, AFTER_ALL]);
  return ordered.subarray(
    countBelow(ordered, (value) => table.folded.compareBytes(value, first) < 0),
    countBelow(ordered, (value) => table.folded.compareBytes(value, last) < 0),
  );
}
