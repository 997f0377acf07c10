/**
 * The blocks that Ponder has been given lately, by number and hash. Its index is at one of those of its head's number:
 * where there is but one, that is the block whose hash the index's head has.
 */

import { blockNumber } from "./endpoint-probe.ts";

/** A block of JSON-RPC; what else it has is passed on as it is. */
export interface RpcBlock {
  readonly number: string;
  readonly hash: string;
  readonly parentHash: string;
  readonly timestamp: string;
  readonly logsBloom?: string;
  readonly transactions?: readonly unknown[];
}

export interface DeliveredBlock {
  readonly number: number;
  readonly hash: string;
}

/** Keeps what it is given, and rejects where it can't; the same block may come again. */
export type KeepDelivered = (blocks: readonly DeliveredBlock[]) => Promise<void>;

// Twice what Ponder holds for unsettled on any chain it knows (240 blocks).
export const NUMBERS_MAX = 512;
const NO_LOGS = /^0x0*$/;

export const isBlock = (value: unknown): value is RpcBlock => {
  const { number, hash, parentHash } = (value ?? {}) as Partial<RpcBlock>;
  return blockNumber(number) !== undefined && typeof hash === "string" && typeof parentHash === "string";
};

export const numberOf = (block: RpcBlock): number => blockNumber(block.number) ?? 0;

export type DeliveredBlocks = ReturnType<typeof createDeliveredBlocks>;

export function createDeliveredBlocks() {
  const hashes = new Map<number, Set<string>>();
  const headers = new Map<string, RpcBlock>();
  let highest = 0;
  let unsaved: DeliveredBlock[] = [];
  let keep: KeepDelivered | undefined;

  async function keepAll(): Promise<void> {
    const blocks = unsaved;
    if (!keep || blocks.length === 0) return;
    unsaved = [];
    try {
      await keep(blocks);
    } catch {
      // Until it is kept, the guard holds the block for unknown; the next delivery tries again.
      unsaved = [...blocks, ...unsaved].slice(-NUMBERS_MAX);
    }
  }

  return {
    /** Notes a block before Ponder is given it. */
    async note(block: RpcBlock): Promise<void> {
      const number = numberOf(block);
      if (number <= highest - NUMBERS_MAX) return;
      highest = Math.max(highest, number);
      const known = hashes.get(number) ?? new Set();
      hashes.set(number, known);
      const { transactions: _, ...header } = block;
      headers.set(block.hash, header);
      if (!known.has(block.hash)) {
        known.add(block.hash);
        unsaved.push({ number, hash: block.hash });
      }
      for (const [old, oldHashes] of hashes) {
        if (hashes.size <= NUMBERS_MAX || old > highest - NUMBERS_MAX) break;
        hashes.delete(old);
        for (const hash of oldHashes) headers.delete(hash);
      }
      await keepAll();
    },
    /** What Ponder was given, without its transactions. */
    header: (hash: string): RpcBlock | undefined => headers.get(hash),
    /** Ponder was given another block of this number, and never this one. */
    isOfAnotherChain: ({ number, hash }: DeliveredBlock): boolean => hashes.get(number)?.has(hash) === false,
    /** Hands over everything noted so far, and from now on each block before Ponder has it. */
    async keepWith(keeper: KeepDelivered): Promise<void> {
      keep = keeper;
      await keepAll();
    },
  };
}

/** A block whose bloom filter holds something has logs, even if an endpoint answers with none. */
export const hasLogs = ({ logsBloom }: RpcBlock): boolean =>
  logsBloom !== undefined && !NO_LOGS.test(logsBloom);
