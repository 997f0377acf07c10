/** Checks at boot that each RPC endpoint serves its configured chain; Ponder only warns. */

import { createPublicClient, HttpRequestError, http } from "viem";
import { BootError } from "../../../boot-error.ts";
import type { ChainConfig } from "../../../config.ts";
import { say } from "../../logging/say.ts";

const TIMEOUT_MS = 5_000;

/**
 * Throws a BootError for an endpoint that returns another chain id. An endpoint that doesn't respond is left to Ponder,
 * which retries for about a minute and then exits with 75.
 */
export async function verifyChainIds(chains: readonly ChainConfig[]): Promise<void> {
  await Promise.all(
    chains.flatMap(({ id, rpcUrls }) =>
      rpcUrls.map(async (url, position) => {
        const endpoint = `PONDER_RPC_URL_${id} (endpoint ${position + 1})`;
        const answered = await askChainId(url, endpoint);
        if (answered === undefined || answered === id) return;
        throw new BootError(
          `${endpoint} serves chain ${answered}, not ${id}; point it to chain ${id} or rename the variable.`,
        );
      }),
    ),
  );
}

async function askChainId(url: string, endpoint: string): Promise<number | undefined> {
  const client = createPublicClient({ transport: http(url, { timeout: TIMEOUT_MS, retryCount: 0 }) });
  try {
    return await client.getChainId();
  } catch (error) {
    // No reason to stop: an endpoint may start a moment after us.
    say(`vitrine: ${endpoint} ${faultOf(error)} for eth_chainId; it is asked again.`);
    return undefined;
  }
}

/** Without the URL, which may hold a key. */
const faultOf = (error: unknown): string =>
  error instanceof HttpRequestError && error.status !== undefined
    ? `answered with status ${error.status}`
    : `gave no answer (${(error as Error).name})`;
