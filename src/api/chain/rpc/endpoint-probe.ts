/** What an RPC endpoint tells of itself: which chain it serves, and how far it has seen it. */

import type { Outcome, RpcEndpoint } from "./endpoint.ts";

const TIMEOUT_MS = 4_000;
const BYTES_MAX = 64 * 1024;
const OTHER_CHAIN = "chain_";

export type Probe =
  | { readonly kind: "well"; readonly latest: number }
  | { readonly kind: "down"; readonly reason: string; readonly retryAfterMs?: number };

/**
 * Asks both at once; never rejects. An endpoint of another chain is down: its empty answers would pass for a chain on
 * which nothing happens. One that refuses to name its chain is believed, as it is at the start.
 */
export async function probeEndpoint(rpc: RpcEndpoint, chainId: number): Promise<Probe> {
  const [chain, head] = await Promise.all(
    ["eth_chainId", "eth_blockNumber"].map((method) => rpc.ask({ method }, TIMEOUT_MS, BYTES_MAX)),
  );
  const served = chain && numberIn(chain);
  if (served !== undefined && served !== chainId) return { kind: "down", reason: `${OTHER_CHAIN}${served}` };
  if (chain?.kind === "fault") return downBy(chain);
  const latest = head && numberIn(head);
  if (latest !== undefined) return { kind: "well", latest };
  return head && head.kind !== "answer" ? downBy(head) : { kind: "down", reason: "no_block" };
}

/** Whether the reason is that the endpoint serves another chain. */
export const isOtherChain = (reason: string | undefined): boolean => reason?.startsWith(OTHER_CHAIN) === true;

const downBy = (outcome: Exclude<Outcome, { kind: "answer" }>): Probe => ({
  kind: "down",
  reason: outcome.reason,
  ...(outcome.kind === "fault" && { retryAfterMs: outcome.retryAfterMs }),
});

const numberIn = (outcome: Outcome): number | undefined =>
  outcome.kind === "answer" ? blockNumber(outcome.result) : undefined;

/** The number of a hex quantity; undefined for anything else. */
export function blockNumber(hex: unknown): number | undefined {
  return typeof hex === "string" && /^0x[0-9a-f]{1,13}$/i.test(hex) ? Number(hex) : undefined;
}
