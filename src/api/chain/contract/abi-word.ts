/** The answer of a view that returns one value. */

import type { Hex } from "viem";

const WORD_CHARACTERS = "0x".length + 64;

/** Exactly one ABI word, or undefined: a conforming view returns neither less nor more. */
export const asWord = (data: Hex): bigint | undefined =>
  data.length === WORD_CHARACTERS ? BigInt(data) : undefined;
