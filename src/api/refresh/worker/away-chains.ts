/**
 * The chains whose node doesn't answer this process. Their tokens wait in the queue, where they hold no lease that a token
 * of another chain could have; one at a time finds out whether the node is back.
 */

import { retryPolicies } from "../../jobs/retry-policies.ts";
import type { Lease } from "../queue/leases.ts";

const PROBE_EVERY_MS = retryPolicies.rpcEndpoint.firstMs;

export function createAwayChains(chainIds: readonly number[], now: () => number = () => performance.now()) {
  /** When the next token of each may be tried. */
  const away = new Map<number, number>();
  const answeredAt = new Map<number, number>();
  const probes = new Map<number, Lease>();

  return {
    /** The chains whose tokens may be claimed. */
    present: (): readonly number[] => chainIds.filter((chainId) => !away.has(chainId)),

    /** The other chains of which one token may be claimed now. */
    toProbe: (): readonly number[] =>
      [...away].flatMap(([chainId, at]) => (at <= now() && !probes.has(chainId) ? [chainId] : [])),

    probedBy(chainId: number, lease: Lease | undefined): void {
      if (lease) probes.set(chainId, lease);
      if (away.has(chainId)) away.set(chainId, now() + PROBE_EVERY_MS);
    },

    /** What a fetch that started at `since` found. Where others were answered since then, it says nothing. */
    note(chainId: number, isAway: boolean, since: number): void {
      if (!isAway) {
        answeredAt.set(chainId, now());
        away.delete(chainId);
      } else if ((answeredAt.get(chainId) ?? Number.NEGATIVE_INFINITY) < since) {
        away.set(chainId, now() + PROBE_EVERY_MS);
      }
    },

    ended({ chainId, id, tokenId }: Lease): void {
      const probe = probes.get(chainId);
      if (probe?.id === id && probe.tokenId === tokenId) probes.delete(chainId);
    },
  };
}
