/** The blocks at which contracts are read. */

import { cached, createPromiseCache } from "../../async/promise-cache.ts";
import { withTimeout } from "../../async/timeout.ts";
import type { IndexHeads } from "../index/index-heads.ts";
import type { ChainClients } from "../rpc/clients.ts";

/** The node's own head, which may be ahead of the chain index. Rejects if the node is unavailable. */
export type LatestBlock = (chainId: number) => Promise<number>;

/** The chain index's head, or `minBlock` if higher. Rejects if neither the chain index nor the node is available. */
export type ReadBlock = (chainId: number, minBlock: number) => Promise<number>;

// A burst of fetches reads the heads once.
const CACHE_MS = 200;
const CHAINS_MAX = 1_000;
// A node that is silent would keep fetches from those of other chains for as long as its calls may take. Once it was, the
// next fetches fail at once for a while, and leave their places to others.
const NODE_HEAD_MS = 3_000;
const SILENT_MS = 3_000;
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
  /** Both clocks: the one that blocks are dated by, and the one that no step moves. */
  clock?: () => number,
): ReadBlock {
  const [now, elapsed] = [clock ?? Date.now, clock ?? (() => performance.now())];
  const lately = cached(() => heads.read(), { ttlMs: CACHE_MS, now: elapsed });
  const nodeHeads = createPromiseCache<string, number>({ max: CHAINS_MAX, ttlMs: CACHE_MS, now: elapsed });
  const silentUntil = new Map<number, number>();

  async function readNodeHead(chainId: number): Promise<number> {
    if (elapsed() >= (silentUntil.get(chainId) ?? 0)) {
      const block = await withTimeout(NODE_HEAD_MS, latestBlock(chainId), { rethrow: true });
      if (block !== undefined) return block;
      silentUntil.set(chainId, elapsed() + SILENT_MS);
    }
    throw new Error(`the node of chain ${chainId} is silent`);
  }

  return async (chainId, minBlock) => {
    const head = (await lately.read()).find((each) => each.chainId === chainId);
    const isCurrent = head?.ready && now() / 1000 - head.timestamp <= HEAD_AGE_MAX_SECONDS;
    if (isCurrent) return Math.max(head.block, minBlock);
    return Math.max(await nodeHeads.get(String(chainId), () => readNodeHead(chainId)), minBlock);
  };
}
