/** Log lines about RPC endpoints that go down and come back. */

import type { Logger } from "../../logging/logger.ts";
import type { EndpointState } from "./endpoint-health.ts";

// One that comes and goes may be logged as down once in this time.
const DOWN_AGAIN_MS = 60_000;

interface Logged {
  isDown: boolean;
  /** When it was last logged as down. */
  at: number;
}

/**
 * Logs each endpoint that is down when this is called, once, and that it is back if it was logged as down. Says what
 * `/freshness` says of it, and nothing more of its URL than the host.
 */
export function createEndpointLog(chain: number, logger: Logger): (states: readonly EndpointState[]) => void {
  const logged = new Map<EndpointState, Logged>();

  function note(state: EndpointState): void {
    const last = logged.get(state) ?? { isDown: false, at: Number.NEGATIVE_INFINITY };
    const { place: endpoint, host } = state.rpc;
    const now = performance.now();
    if (state.fault !== undefined && !last.isDown && now - last.at >= DOWN_AGAIN_MS) {
      logger.warn({ msg: "An RPC endpoint is down", chain, endpoint, host, reason: state.fault });
      logged.set(state, { isDown: true, at: now });
    } else if (state.fault === undefined && last.isDown) {
      const seconds = Math.round((now - state.faultAt) / 1_000);
      logger.info({ msg: "An RPC endpoint is back", chain, endpoint, host, down_seconds: seconds });
      logged.set(state, { ...last, isDown: false });
    }
  }

  return (states) => states.forEach(note);
}
