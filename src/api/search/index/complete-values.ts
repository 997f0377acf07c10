/** The values of a trait that begin with a text. */

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

/** `counts` are over the listed tokens, by value. */
export function completeValues(
  index: CollectionIndex,
  { name, prefix, limit }: ValuePrefix,
  listed: { readonly counts: Uint32Array; readonly total: number },
): CompletedValues {
  const { table } = index;
  const type = table.find(name);
  if (!type) return { display_type: null, total: 0, listed: listed.total, values: [] };
  const candidates = valuesFrom(index, type, prefix);
  const countOf = (nth: number): number => listed.counts[candidates[nth] as number] ?? 0;
  const mostFrequent = createTopK(limit, (a, b) => countOf(b) - countOf(a) || a - b);
  const start = folded(prefix);
  let total = 0;
  for (let nth = 0; nth < candidates.length; nth++) {
    if (countOf(nth) === 0) continue;
    const text = table.textOf(candidates[nth] as number);
    if (text === undefined || (isNumeric(type) && !folded(text).startsWith(start))) continue;
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
