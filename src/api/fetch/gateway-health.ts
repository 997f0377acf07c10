/** What this process has learned about its IPFS gateways: which fail, which lie, which give blocks, how fast they are. */

import { backoffMs, retryPolicies } from "../jobs/retry-policies.ts";
import { createUsualTime, type UsualTime } from "./ipfs/usual-time.ts";

const { gatewayPause: policy, gatewayMismatch, gatewayWithoutBlocks } = retryPolicies;

export interface GatewayHealth {
  /**
   * The same URLs: first those of gateways that may give blocks, then those that gave none lately, then those of paused
   * gateways. None is left out, so a lone gateway is always tried.
   */
  inOrder(urls: readonly string[]): readonly string[];
  /**
   * Records the outcome of a request to a gateway. Any answer, including a 404, resets its failures. After a pause it
   * is tried in its usual place again, and one more failure renews the pause.
   */
  note(gateway: string, isAnswered: boolean): void;
  /** Pauses a gateway that sent other bytes than those it was asked for. True if it was not paused for that already. */
  noteMismatch(gateway: string): boolean;
  /** It is paused for sending other bytes, so nothing that can't be verified is taken from it. */
  isDistrusted(gateway: string): boolean;
  /** Records whether a gateway gave blocks, by which content can be verified. */
  noteBlocks(gateway: string, isGiven: boolean): void;
  /** `none` is forgotten after a while, and `given` once the gateway gives none. */
  blocksOf(gateway: string): "given" | "none" | "unknown";
  /** See `UsualTime`. A new one for a URL of no gateway of ours, about which nothing is remembered. */
  timeOf(gateway: string | undefined): UsualTime;
}

/** `now` is a monotonic clock in milliseconds. */
export function createGatewayHealth(
  gateways: readonly string[],
  now: () => number = () => performance.now(),
): GatewayHealth {
  const never = Number.NEGATIVE_INFINITY;
  const states = new Map(
    gateways.map((gateway) => [
      gateway,
      {
        failures: 0,
        pausedUntil: never,
        distrustedUntil: never,
        blocks: "unknown" as "given" | "none" | "unknown",
        withoutBlocksUntil: never,
        time: createUsualTime(),
      },
    ]),
  );
  const isDistrusted = (gateway: string): boolean => now() < (states.get(gateway)?.distrustedUntil ?? never);

  function blocksOf(gateway: string): "given" | "none" | "unknown" {
    const state = states.get(gateway);
    if (!state || (state.blocks === "none" && now() >= state.withoutBlocksUntil)) return "unknown";
    return state.blocks;
  }

  function placeOf(url: string): number {
    const [gateway, state] = [...states].find(([each]) => url.startsWith(`${each}/`)) ?? [];
    if (gateway === undefined || !state) return 0;
    const isPaused = state.failures >= policy.attempts && now() < state.pausedUntil;
    if (isPaused || isDistrusted(gateway)) return 2;
    return blocksOf(gateway) === "none" ? 1 : 0;
  }

  return {
    inOrder(urls) {
      const places = new Map(urls.map((url) => [url, placeOf(url)]));
      return urls.toSorted((a, b) => (places.get(a) ?? 0) - (places.get(b) ?? 0));
    },

    note(gateway, isAnswered) {
      const state = states.get(gateway);
      if (!state) return;
      state.failures = isAnswered ? 0 : state.failures + 1;
      const pausing = state.failures - policy.attempts + 1;
      if (pausing > 0) state.pausedUntil = now() + backoffMs(policy, pausing);
    },

    noteMismatch(gateway) {
      const state = states.get(gateway);
      if (!state) return false;
      const isNew = !isDistrusted(gateway);
      state.distrustedUntil = now() + backoffMs(gatewayMismatch, 1);
      return isNew;
    },

    isDistrusted,

    noteBlocks(gateway, isGiven) {
      const state = states.get(gateway);
      if (!state) return;
      state.blocks = isGiven ? "given" : "none";
      if (!isGiven) state.withoutBlocksUntil = now() + backoffMs(gatewayWithoutBlocks, 1);
    },

    blocksOf,
    timeOf: (gateway) => states.get(gateway ?? "")?.time ?? createUsualTime(),
  };
}
