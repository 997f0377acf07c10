/** Probes an RPC endpoint: the chain it serves, and its head. */

import type { Outcome, RpcEndpoint } from "./endpoint.ts";

const TIMEOUT_MS = 4_000;
const BYTES_MAX = 64 * 1024;
const OTHER_CHAIN = "chain_";

export type Probe =
  | { readonly kind: "well"; readonly latest: number }
  | { readonly kind: "down"; readonly reason: string; readonly retryAfterMs?: number };

/**
 * Requests both at once; never rejects. An endpoint of another chain counts as down: its empty responses would look
 * like a chain without activity. One that won't name its chain is trusted, as at startup.
 */
export async function probeEndpoint(rpc: RpcEndpoint, chainId: number): Promise<Probe> {
  const [chain, head] = await Promise.all(
    ["eth_chainId", "eth_blockNumber"].map((method) => rpc.ask({ method }, TIMEOUT_MS, BYTES_MAX)),
  );
  const served = chain && numberIn(chain);
  if (served !== undefined && served !== chainId) return { kind: "down", reason: otherChain(served) };
  if (chain?.kind === "fault") return downBy(chain);
  const latest = head && numberIn(head);
  if (latest !== undefined) return { kind: "well", latest };
  return head && head.kind !== "answer" ? downBy(head) : { kind: "down", reason: "no_block" };
}

/** The reason of an endpoint that serves this chain in place of its own. */
export const otherChain = (served: number): string => `${OTHER_CHAIN}${served}`;

/** Whether the reason is that the endpoint serves another chain. */
export const isOtherChain = (reason: string | undefined): boolean => reason?.startsWith(OTHER_CHAIN) === true;

const downBy = (outcome: Exclude<Outcome, { kind: "answer" }>): Probe => ({
  kind: "down",
  reason: outcome.reason,
  ...(outcome.kind === "fault" && { retryAfterMs: outcome.retryAfterMs }),
});

const numberIn = (outcome: Outcome): number | undefined =>
  outcome.kind === "answer" ? blockNumber(outcome.result) : undefined;

/** The value of a hex quantity; undefined for anything else. */
export function blockNumber(hex: unknown): number | undefined {
  return typeof hex === "string" && /^0x[0-9a-f]{1,13}$/i.test(hex) ? Number(hex) : undefined;
}
