/** Counts how often a chain has replaced blocks that Ponder had received. */

export interface LinkedBlock {
  readonly number: number;
  readonly hash: string;
  readonly parentHash: string;
}

/** Remembers as many of the latest numbers as `numbersMax`. */
export function createReorgCounter(numbersMax: number) {
  /** The chain as Ponder last received it. */
  const chain = new Map<number, string>();
  let highest = 0;
  let count = 0;

  const differs = (number: number, hash: string): boolean => (chain.get(number) ?? hash) !== hash;

  return {
    /** Notes a block before Ponder receives it. Blocks that were missed may come in any order. */
    note({ number, hash, parentHash }: LinkedBlock): void {
      const isOther = differs(number, hash);
      const isOnOther = differs(number - 1, parentHash);
      // A known block on another parent is a step back in the reorg that was counted with its first block.
      if (isOther || (isOnOther && !chain.has(number))) {
        count++;
        for (const above of chain.keys()) if (above > number) chain.delete(above);
      }
      chain.set(number, hash);
      if (isOnOther) chain.set(number - 1, parentHash);
      if (number <= highest) return;
      highest = number;
      for (const old of chain.keys()) if (old <= highest - numbersMax) chain.delete(old);
    },
    count: (): number => count,
  };
}
