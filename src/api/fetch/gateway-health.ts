/** Which gateways are asked last: those that lately could not answer. Kept by this process, forgotten with it. */

import { backoffMs, retryPolicies } from "../jobs/retry-policies.ts";

const policy = retryPolicies.gatewayPause;

export interface GatewayHealth {
  /** The same URLs; those of gateways that are paused come last. None is left out, so a lone gateway is always asked. */
  inOrder(urls: readonly string[]): readonly string[];
  /**
   * What came of asking a gateway. Any answer, a 404 included, ends its row of failures. After a pause it is asked in its
   * place again, and one more failure renews the pause.
   */
  note(gateway: string, isAnswered: boolean): void;
}

/** `now` is a clock in milliseconds that never goes back. */
export function createGatewayHealth(
  gateways: readonly string[],
  now: () => number = () => performance.now(),
): GatewayHealth {
  const states = new Map(gateways.map((gateway) => [gateway, { failures: 0, pausedUntil: 0 }]));
  const isPaused = (url: string): boolean =>
    [...states].some(
      ([gateway, { failures, pausedUntil }]) =>
        failures >= policy.attempts && now() < pausedUntil && url.startsWith(`${gateway}/`),
    );

  return {
    inOrder: (urls) => [...urls.filter((url) => !isPaused(url)), ...urls.filter(isPaused)],
    note(gateway, isAnswered) {
      const state = states.get(gateway);
      if (!state) return;
      state.failures = isAnswered ? 0 : state.failures + 1;
      const pausing = state.failures - policy.attempts + 1;
      if (pausing > 0) state.pausedUntil = now() + backoffMs(policy, pausing);
    },
  };
}
