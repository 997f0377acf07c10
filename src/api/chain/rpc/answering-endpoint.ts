/** Picks a chain's endpoint for calls that can't wait for a dead one. */

import type { PublicClient } from "viem";
import { withDeadline } from "../../async/timeout.ts";

// A node returns its head from memory. The last endpoint gets all the remaining time.
const HEAD_MS = 750;

export interface AnsweringEndpoint {
  readonly endpoint: PublicClient;
  /** The latest block of its node. */
  readonly head: number;
}

/**
 * The first of these endpoints, in this order, whose head is at or above `block`; if none, the one furthest along.
 * Undefined if none returns its head before the signal aborts. Never rejects.
 */
export async function findAnsweringEndpoint(
  endpoints: readonly PublicClient[],
  block: number,
  signal: AbortSignal,
): Promise<AnsweringEndpoint | undefined> {
  let furthest: AnsweringEndpoint | undefined;
  for (const [index, endpoint] of endpoints.entries()) {
    const isLast = index === endpoints.length - 1 && !furthest;
    const head = isLast
      ? await askHead(endpoint, signal)
      : await withDeadline(HEAD_MS, signal, (inTime) => askHead(endpoint, inTime));
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
