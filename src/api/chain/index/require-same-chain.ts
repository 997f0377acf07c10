/** Checks at boot that the endpoints have the chain that a schema holds an index of: Ponder compares times only. */

import { createPublicClient, http } from "viem";
import { BootError } from "../../../boot-error.ts";
import type { ChainConfig } from "../../../config.ts";
import type { Checkpoint } from "./checkpoint.ts";
import type { IndexAtStart } from "./index-at-start.ts";

const TIMEOUT_MS = 5_000;

/**
 * Throws a BootError for an endpoint whose block at the height that the chain index has finalized is another one, as after a
 * development chain was started anew. An endpoint that doesn't answer, or doesn't have the block, says nothing.
 */
export async function requireSameChain(
  { schema, finalized }: IndexAtStart,
  chains: readonly ChainConfig[],
): Promise<void> {
  await Promise.all(
    chains.flatMap(({ id, rpcUrls }) => {
      const block = finalized.find(({ chainId }) => chainId === id);
      return block
        ? rpcUrls.map((url, position) => requireBlock(url, position + 1, { schema, ...block }))
        : [];
    }),
  );
}

async function requireBlock(
  url: string,
  endpoint: number,
  { schema, chainId, block, timestamp }: Checkpoint & { readonly schema: string },
): Promise<void> {
  const client = createPublicClient({ transport: http(url, { timeout: TIMEOUT_MS, retryCount: 0 }) });
  const [served, found] = await Promise.all([
    client.getChainId().catch(() => chainId),
    client.getBlock({ blockNumber: BigInt(block) }).catch(() => undefined),
  ]);
  // Of an endpoint with another id, verifyChainIds has said so, and it gets no calls.
  if (!found || served !== chainId || Number(found.timestamp) === timestamp) return;
  throw new BootError(
    `Schema "${schema}" holds an index of another chain ${chainId}: its block ${block} is of ${dateOf(timestamp)}, and that of PONDER_RPC_URL_${chainId} (endpoint ${endpoint}) of ${dateOf(Number(found.timestamp))}.`,
  );
}

const dateOf = (seconds: number): string => new Date(seconds * 1000).toISOString();
