/** Which gateways are asked last: those that lately could not answer. Kept by this process, forgotten with it. */

// One fault is chance, and a gateway answers 504 for content that nobody has: three in a row are its own state.
const FAILURES_IN_A_ROW = 3;
// Long enough to spare most fetches the wait for a dead gateway, short enough to notice that it is back.
const PAUSE_MS = 60_000;

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
        failures >= FAILURES_IN_A_ROW && now() < pausedUntil && url.startsWith(`${gateway}/`),
    );

  return {
    inOrder: (urls) => [...urls.filter((url) => !isPaused(url)), ...urls.filter(isPaused)],
    note(gateway, isAnswered) {
      const state = states.get(gateway);
      if (!state) return;
      state.failures = isAnswered ? 0 : state.failures + 1;
      if (state.failures >= FAILURES_IN_A_ROW) state.pausedUntil = now() + PAUSE_MS;
    },
  };
}
