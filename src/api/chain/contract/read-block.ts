/** The blocks at which contracts are read. */

import { cached } from "../../jobs/promise-cache.ts";
import type { IndexHeads } from "../index/index-heads.ts";
import type { ChainClients } from "../rpc/clients.ts";

/** The node's own head, which may be ahead of the index. Rejects when the node can't be asked. */
export type LatestBlock = (chainId: number) => Promise<number>;

/** The index's head, or `minBlock` if that is higher. Rejects when neither the index nor the node can be asked. */
export type ReadBlock = (chainId: number, minBlock: number) => Promise<number>;

// A burst of fetches reads the heads once.
const CACHE_MS = 200;
// An explicit request expects an answer that is newer than an index further behind than this.
const HEAD_AGE_MAX_SECONDS = 30;

export function createLatestBlock(clients: ChainClients): LatestBlock {
  return async (chainId) => {
    const client = clients.get(chainId);
    if (!client) throw new Error(`no RPC endpoint for chain ${chainId}`);
    return Number(await client.getBlockNumber());
  };
}

/**
 * An explicit block keeps a lagging node from answering with yesterday's URI: it fails instead, and is asked
 * again. During a backfill and while the index is behind, its head is history, and the node's own head counts.
 */
export function createReadBlock(
  heads: IndexHeads,
  latestBlock: LatestBlock,
  now: () => number = Date.now,
): ReadBlock {
  const lately = cached(() => heads.read(), { ttlMs: CACHE_MS, now });

  return async (chainId, minBlock) => {
    const head = (await lately.read()).find((each) => each.chainId === chainId);
    const isCurrent = head?.ready && now() / 1000 - head.timestamp <= HEAD_AGE_MAX_SECONDS;
    return Math.max(isCurrent ? head.block : await latestBlock(chainId), minBlock);
  };
}
