/** Which gateways are tried last: those that failed recently. Kept in the memory of this process. */

import { backoffMs, retryPolicies } from "../jobs/retry-policies.ts";

const policy = retryPolicies.gatewayPause;

export interface GatewayHealth {
  /** The same URLs, with those of paused gateways last. None is left out, so a lone gateway is always tried. */
  inOrder(urls: readonly string[]): readonly string[];
  /**
   * Records the outcome of a request to a gateway. Any answer, including a 404, resets its failures. After a pause it
   * is tried in its usual place again, and one more failure renews the pause.
   */
  note(gateway: string, isAnswered: boolean): void;
}

/** `now` is a monotonic clock in milliseconds. */
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
