/** Which of a chain's endpoints to ask when there is no time to wait for a dead one. */

import type { PublicClient } from "viem";

// A node tells its head from memory. The last endpoint is given what time there is.
const HEAD_MS = 750;

export interface AnsweringEndpoint {
  readonly endpoint: PublicClient;
  /** The newest block of its node. */
  readonly head: number;
}

/**
 * The first endpoint, in the operator's order, whose head is `block` or newer; where none is, the one that is furthest.
 * Undefined when none tells its head before the signal. Never rejects.
 */
export async function findAnsweringEndpoint(
  endpoints: readonly PublicClient[],
  block: number,
  signal: AbortSignal,
): Promise<AnsweringEndpoint | undefined> {
  let furthest: AnsweringEndpoint | undefined;
  for (const [index, endpoint] of endpoints.entries()) {
    const isLast = index === endpoints.length - 1 && !furthest;
    const head = await askHead(
      endpoint,
      isLast ? signal : AbortSignal.any([signal, AbortSignal.timeout(HEAD_MS)]),
    );
    if (head === undefined) continue;
    if (head >= block) return { endpoint, head };
    if (!furthest || head > furthest.head) furthest = { endpoint, head };
  }
  return furthest;
}

async function askHead(endpoint: PublicClient, signal: AbortSignal): Promise<number | undefined> {
  try {
    const head: unknown = await endpoint.request({ method: "eth_blockNumber" }, { signal });
    const block = Number(head);
    return typeof head === "string" && Number.isSafeInteger(block) && block >= 0 ? block : undefined;
  } catch {
    return undefined;
  }
}
