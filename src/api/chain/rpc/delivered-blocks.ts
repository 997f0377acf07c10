/**
 * The blocks that Ponder has recently received, by number and hash. If it received only one of its head's number, that
 * block is the chain index's head.
 */

import { blockNumber } from "./endpoint-probe.ts";
import { createReorgCounter } from "./reorgs.ts";

/** A JSON-RPC block; other fields are passed on unchanged. */
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

/** Stores the blocks, or rejects; the same block may come again. */
export type KeepDelivered = (blocks: readonly DeliveredBlock[]) => Promise<void>;

// Twice the most unfinalised blocks that Ponder keeps on any chain (240).
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
  const reorgs = createReorgCounter(NUMBERS_MAX);
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
      // Until it is stored, the guard treats the block as unknown; the next delivery tries again.
      unsaved = [...blocks, ...unsaved].slice(-NUMBERS_MAX);
    }
  }

  return {
    /** Records a block before Ponder receives it. */
    async note(block: RpcBlock): Promise<void> {
      const number = numberOf(block);
      if (number <= highest - NUMBERS_MAX) return;
      highest = Math.max(highest, number);
      reorgs.note({ number, hash: block.hash, parentHash: block.parentHash });
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
    /** A block that Ponder received, without its transactions. */
    header: (hash: string): RpcBlock | undefined => headers.get(hash),
    /** Ponder received another block of this number, and never this one. */
    isOfAnotherChain: ({ number, hash }: DeliveredBlock): boolean => hashes.get(number)?.has(hash) === false,
    /** How often a block has taken the place of one that Ponder had received. */
    reorgs: reorgs.count,
    /** Hands over everything recorded so far, and from now on each block before Ponder receives it. */
    async keepWith(keeper: KeepDelivered): Promise<void> {
      keep = keeper;
      await keepAll();
    },
  };
}

/** A block with a non-empty bloom filter has logs, even if an endpoint returns none. */
export const hasLogs = ({ logsBloom }: RpcBlock): boolean =>
  logsBloom !== undefined && !NO_LOGS.test(logsBloom);
