/** Tokens of the same document as one stack. */

import { type Bits, emptyBits, hasBit, setBit } from "../columns/bits.ts";
import type { DocumentColumn } from "../columns/document-column.ts";

export interface Stacks {
  /** The first slot of each stack in the order. A slot without a document is one by itself. */
  readonly firsts: Bits;
  /** The number of slots in the stack of a slot. */
  countOf(slot: number): number;
}

/** Stacks the slots, in the order in which they are listed. */
export function stack(documents: DocumentColumn, ordered: Uint32Array, slots: Bits): Stacks {
  const firsts = emptyBits(slots.length * 32);
  const counts = new Uint32Array(documents.size);
  for (let at = 0; at < ordered.length; at++) {
    const slot = ordered[at] as number;
    if (!hasBit(slots, slot)) continue;
    const document = documents.of(slot);
    const count = counts[document] as number;
    if (document === 0 || count === 0) setBit(firsts, slot);
    counts[document] = count + 1;
  }
  return {
    firsts,
    countOf(slot) {
      const document = documents.of(slot);
      return document === 0 ? 1 : (counts[document] as number);
    },
  };
}
