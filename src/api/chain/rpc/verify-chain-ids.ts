/** Checks at boot that each RPC endpoint serves its configured chain; Ponder only warns. */

import { createPublicClient, HttpRequestError, http } from "viem";
import { BootError } from "../../../boot-error.ts";
import type { ChainConfig } from "../../../config.ts";
import { say } from "../../logging/say.ts";
import { otherChain } from "./endpoint-probe.ts";
import { endpointsOf } from "./endpoints.ts";

const TIMEOUT_MS = 5_000;

/**
 * Throws a BootError for a chain whose endpoints all return another chain id. Where only some do, reports them, and has the
 * chain's pool count them as down from its first call on, as it does while the service runs: one of several must not keep a
 * service from starting. An endpoint that doesn't respond is left to Ponder, which retries for about a minute and then
 * exits with 75.
 */
export async function verifyChainIds(chains: readonly ChainConfig[], timeoutMs = TIMEOUT_MS): Promise<void> {
  await Promise.all(chains.map((chain) => verifyChainId(chain, timeoutMs)));
}

async function verifyChainId(chain: ChainConfig, timeoutMs: number): Promise<void> {
  const { id, rpcUrls } = chain;
  const variableAt = (position: number): string => `PONDER_RPC_URL_${id} (endpoint ${position + 1})`;
  const answered = await Promise.all(
    rpcUrls.map((url, position) => askChainId(url, variableAt(position), timeoutMs)),
  );
  const others = [...answered.entries()].flatMap(([position, served]) =>
    served === undefined || served === id ? [] : { position, served },
  );
  for (const { position, served } of others) {
    const fault = `${variableAt(position)} serves chain ${served}, not ${id}`;
    if (others.length === rpcUrls.length)
      throw new BootError(`${fault}; point it to chain ${id} or rename the variable.`);
    say(
      `vitrine: ${fault}, and gets no calls until it serves chain ${id}; point it to chain ${id} or remove it.`,
    );
    endpointsOf(chain).fail(position + 1, otherChain(served));
  }
}

async function askChainId(url: string, endpoint: string, timeout: number): Promise<number | undefined> {
  const client = createPublicClient({ transport: http(url, { timeout, retryCount: 0 }) });
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
