/** The token ids of an ERC-4906 log, in the layout of the final standard or of its draft. */

const WORD_DIGITS = 64;

/** The parts of a log that hold its arguments, as JSON-RPC writes them. */
export interface RawLog {
  /** The event's own topic, then one word per indexed argument; Ponder fills up with nulls what it has stored. */
  readonly topics: readonly (string | null)[];
  /** One word per argument that is not indexed. */
  readonly data: string;
}

/**
 * The first `count` ids of a log, indexed ones first: ERC-4906 indexes none, its draft indexed all. Empty when the log
 * holds fewer words than that. What more it holds is ignored, as contracts and their readers do.
 */
export function updatedIds({ topics, data }: RawLog, count: number): readonly bigint[] {
  const ids = topics
    .slice(1, 1 + count)
    .filter((topic) => topic !== null)
    .map(BigInt);
  for (let at = 2; ids.length < count; at += WORD_DIGITS) {
    const word = data.slice(at, at + WORD_DIGITS);
    if (word.length < WORD_DIGITS) return [];
    ids.push(BigInt(`0x${word}`));
  }
  return ids;
}
