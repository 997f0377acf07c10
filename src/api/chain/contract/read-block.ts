/** The blocks at which contracts are read. */

import { cached } from "../../jobs/promise-cache.ts";
import type { IndexHeads } from "../index/index-heads.ts";
import type { ChainClients } from "../rpc/clients.ts";

/** The node's own head, which may be ahead of the chain index. Rejects if the node is unavailable. */
export type LatestBlock = (chainId: number) => Promise<number>;

/** The chain index's head, or `minBlock` if higher. Rejects if neither the chain index nor the node is available. */
export type ReadBlock = (chainId: number, minBlock: number) => Promise<number>;

// A burst of fetches reads the heads once.
const CACHE_MS = 200;
// If the chain index is further behind, an explicit request would get an outdated result.
const HEAD_AGE_MAX_SECONDS = 30;

export function createLatestBlock(clients: ChainClients): LatestBlock {
  return async (chainId) => {
    const client = clients.get(chainId);
    if (!client) throw new Error(`no RPC endpoint for chain ${chainId}`);
    return Number(await client.getBlockNumber());
  };
}

/**
 * With an explicit block, a lagging node fails and is retried instead of returning an outdated URI. During a backfill
 * and while the chain index is behind, uses the node's own head instead.
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
