/** What is known of each of a chain's RPC endpoints: whether it responds, and how far it has seen the chain. */

import type { ChainConfig } from "../../../config.ts";
import { withTimeout } from "../../async/timeout.ts";
import { retryPolicies } from "../../jobs/retry-policies.ts";
import type { Logger } from "../../logging/logger.ts";
import { processWide } from "../../process-wide.ts";
import { createEndpoint, type RpcEndpoint } from "./endpoint.ts";
import { createEndpointLog } from "./endpoint-log.ts";
import { isOtherChain, probeEndpoint } from "./endpoint-probe.ts";

const PROBE_MS = 1_000;
const PROBES_MAX = 4;
// Refreshes the head of idle endpoints, for when they are needed.
const PROBE_AFTER_MS = 5_000;
// A URL may start to lead to another chain's node, even while in use.
const VERIFY_MS = 15_000;
// All endpoints should know a head that another one reported this long ago.
const BEHIND_MS = 8_000;

/** Times are of a clock that no step of the system's clock moves. */
export interface EndpointState {
  readonly rpc: RpcEndpoint;
  /** When a probe last confirmed that it serves this chain; 0 if never. */
  verifiedAt: number;
  /** When the latest successful probe began: what was asked earlier and failed says nothing new. */
  wellAt: number;
  probing: Promise<boolean> | undefined;
  fault: string | undefined;
  /** When the fault was found; nothing has answered since. */
  faultAt: number;
  /** No calls before this time. */
  pausedUntil: number;
  latest: number | undefined;
  probedAt: number;
  probes: number;
  calls: number;
  failures: number;
}

const probing = processWide("RPC probes", () => new Set<NodeJS.Timeout>());

/** Ends all probes of this process. For tests: their processes outlive their chains, whose ports others get. */
export function endProbes(): void {
  for (const timer of probing) clearInterval(timer);
  probing.clear();
}

/** What is known is of this process, and changes with each of its calls and probes. Nothing is probed before `watch`. */
export function createEndpointHealth({ id: chainId, rpcUrls }: Pick<ChainConfig, "id" | "rpcUrls">) {
  const states = rpcUrls.map(
    (url, index): EndpointState => ({
      rpc: createEndpoint(url, index + 1),
      verifiedAt: 0,
      wellAt: 0,
      probing: undefined,
      fault: undefined,
      faultAt: 0,
      pausedUntil: 0,
      latest: undefined,
      probedAt: Number.NEGATIVE_INFINITY,
      probes: 0,
      calls: 0,
      failures: 0,
    }),
  );
  /** New heights of the chain and when any endpoint first reported them, oldest first. */
  let heights: { readonly block: number; readonly at: number }[] = [];
  let isWatching = false;
  let log: ReturnType<typeof createEndpointLog> | undefined;

  function expected(): number {
    const due = performance.now() - BEHIND_MS;
    let block = 0;
    for (const height of heights) if (height.at <= due) block = height.block;
    return block;
  }
  const isBehind = ({ latest }: EndpointState): boolean => latest !== undefined && latest < expected();
  const rank = (state: EndpointState): number => (isBehind(state) ? 1 : 0);
  /** Endpoints that are not down, best first. */
  const inOrder = (): EndpointState[] =>
    states.filter(({ fault }) => fault === undefined).sort((a, b) => rank(a) - rank(b));
  const byLoad = (): EndpointState[] =>
    inOrder().sort((a, b) => rank(a) - rank(b) || a.rpc.load() - b.rpc.load());

  function noteLatest(state: EndpointState, block: number): void {
    state.latest = block;
    state.probedAt = performance.now();
    const last = heights.at(-1);
    if (last && block <= last.block) return;
    const due = performance.now() - BEHIND_MS;
    // Of the heights that are due, only the latest matters.
    while (heights.length > 1 && (heights[1]?.at ?? due + 1) <= due) heights.shift();
    heights.push({ block, at: performance.now() });
  }
  function fail(
    state: EndpointState,
    reason: string,
    { askedAt = performance.now(), retryAfterMs = retryPolicies.rpcEndpoint.firstMs } = {},
  ): void {
    if (askedAt < state.wellAt) return;
    state.pausedUntil = Math.max(state.pausedUntil, performance.now() + retryAfterMs);
    if (state.fault === undefined) state.faultAt = performance.now();
    state.fault = reason;
  }

  /** Counts a call, which fails if its outcome is of this kind. */
  async function count<Of extends { readonly kind: string }>(
    state: EndpointState,
    outcome: Promise<Of>,
    failure: Of["kind"],
  ): Promise<Of> {
    state.calls++;
    const found = await outcome;
    if (found.kind === failure) state.failures++;
    return found;
  }

  /** True if the endpoint reports a head of this chain. */
  async function probe(state: EndpointState): Promise<boolean> {
    const askedAt = performance.now();
    state.probes++;
    const found = await count(state, probeEndpoint(state.rpc, chainId), "down");
    state.probes--;
    if (found.kind === "down") {
      if (askedAt < state.wellAt) return false;
      state.verifiedAt = 0;
      fail(state, found.reason, { askedAt, retryAfterMs: found.retryAfterMs });
      if (isOtherChain(found.reason)) {
        // Its heights may be among them, and the other endpoints can't be expected to reach those.
        heights = [];
        state.latest = undefined;
      }
      return false;
    }
    state.verifiedAt = performance.now();
    state.wellAt = Math.max(state.wellAt, askedAt);
    noteLatest(state, found.latest);
    state.fault = undefined;
    return true;
  }
  /** Concurrent callers share one probe. */
  function probeTogether(state: EndpointState): Promise<boolean> {
    state.probing ??= probe(state).finally(() => {
      state.probing = undefined;
    });
    return state.probing;
  }
  const isAt = ({ verifiedAt, latest = -1 }: EndpointState, block: number): boolean =>
    verifiedAt > 0 && latest >= block;
  /** Whether the endpoint has seen this chain up to a block, waiting up to `ms` for a probe. */
  async function hasSeen(state: EndpointState, block: number, ms: number): Promise<boolean> {
    const isFresh = state.verifiedAt > 0 && performance.now() - state.probedAt < PROBE_MS;
    if (!isAt(state, block) && !isFresh) await withTimeout(ms, probeTogether(state));
    return isAt(state, block);
  }
  /** Runs every second: probes endpoints that are down, even if the last probe hangs, and occasionally the others. */
  function probeOthers(): void {
    const now = performance.now();
    for (const state of states) {
      const isVerified = state.verifiedAt > 0 && now - state.verifiedAt < VERIFY_MS;
      const isOld = now - state.probedAt >= PROBE_AFTER_MS || !isVerified;
      const isDue = state.fault !== undefined || isOld;
      const isHanging = state.probes > PROBES_MAX;
      if (!isDue || isHanging || now < state.pausedUntil - PROBE_MS / 2) continue;
      if (state.fault === undefined) state.probedAt = now;
      void probe(state);
    }
  }

  function tick(): void {
    log?.(states);
    probeOthers();
  }
  function watch(logger?: Logger): void {
    if (logger) log = createEndpointLog(chainId, logger);
    if (!isWatching) probing.add(setInterval(tick, PROBE_MS).unref());
    isWatching = true;
  }

  return {
    /** In order of preference. */
    states,
    inOrder,
    byLoad,
    isBehind,
    /** The block that every endpoint should have seen by now; 0 if none is known. */
    expected,
    isAt,
    hasSeen,
    noteLatest,
    fail,
    count,
    probe,
    probeTogether,
    /** Keeps probing all endpoints, even without calls, and logs which are down to the last logger that was given. */
    watch,
    /** The highest reported head; 0 if there is none. */
    height: (): number => heights.at(-1)?.block ?? 0,
    /** After a reorg that shortened the chain: no endpoint is expected to reach heights above this any more. */
    lower(block: number): void {
      heights = heights.filter((height) => height.block < block);
    },
  };
}
