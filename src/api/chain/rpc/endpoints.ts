/**
 * The pool of a chain's RPC endpoints: which of them respond, how far each has seen the chain, and calls to the best
 * one first. All node access in this process shares this state.
 */

import type { ChainConfig } from "../../../config.ts";
import { withTimeout } from "../../async/timeout.ts";
import { processWide } from "../../jobs/process-wide.ts";
import { retryPolicies } from "../../jobs/retry-policies.ts";
import { type Call, createEndpoint, type Outcome, type RpcEndpoint } from "./endpoint.ts";
import { isOtherChain, probeEndpoint } from "./endpoint-probe.ts";

const PROBE_MS = 1_000;
const PROBES_MAX = 4;
const POLL_MS = 100;
// Refreshes the head of idle endpoints, for when they are needed.
const PROBE_AFTER_MS = 5_000;
// A URL may start to lead to another chain's node, even while in use.
const VERIFY_MS = 15_000;
// After this long without a response, the next endpoint is tried as well; the first response wins.
const SOON_MS = 3_000;
const TIMEOUT_MS = 10_000;
// All endpoints should know a head that another one reported this long ago.
const BEHIND_MS = 8_000;

/** For `/freshness`. `reason` is null for `used` and `ready`. */
export interface EndpointReport {
  readonly endpoint: number;
  readonly host: string;
  readonly status: "used" | "ready" | "behind" | "down";
  readonly reason: string | null;
  readonly latestBlock: number | null;
}

export interface EndpointCounts {
  readonly endpoint: number;
  readonly calls: number;
  readonly failures: number;
}

/** `unknown`: healthy endpoints responded, but none had the data; `refused` is one of their refusals. */
export type PoolAnswer =
  | { readonly kind: "answer"; readonly result: unknown }
  | { readonly kind: "unknown"; readonly refused: Refusal | undefined };
type Answer = Extract<Outcome, { kind: "answer" }>;
type Refusal = Extract<Outcome, { kind: "refused" }>;

export interface AskOptions {
  /** Returns false for a result that means this endpoint lacks the data. */
  readonly accepts?: (result: unknown, endpoint: number) => boolean;
  /** Balances by load, for calls that any endpoint can serve; otherwise in order of preference. */
  readonly spread?: boolean;
  /** Uses only endpoints that have seen this block; others would omit the data after their head. */
  readonly seen?: number | undefined;
  /** How long to wait while no endpoint responds; then rejects with the last fault. */
  readonly waitMs: number;
}

/** Times are of a clock that no step of the system's clock moves. */
interface State {
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

export type Endpoints = ReturnType<typeof createEndpoints>;

// One per chain and process: indexer and API share the same faults.
const shared = processWide("RPC endpoints", () => new Map<string, Endpoints>());

const probing = processWide("RPC probes", () => new Set<NodeJS.Timeout>());

/** Ends all probes of this process. For tests: their processes outlive their chains, whose ports others get. */
export function endProbes(): void {
  for (const timer of probing) clearInterval(timer);
  probing.clear();
}

/** The pool of a configured chain, shared by all callers. */
export function endpointsOf(chain: ChainConfig): Endpoints {
  const key = [chain.id, ...chain.rpcUrls].join(" ");
  const known = shared.get(key);
  if (known) return known;
  const endpoints = createEndpoints(chain);
  shared.set(key, endpoints);
  return endpoints;
}

export function createEndpoints({ id: chainId, rpcUrls }: Pick<ChainConfig, "id" | "rpcUrls">) {
  const states = rpcUrls.map(
    (url, index): State => ({
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

  function expected(): number {
    const due = performance.now() - BEHIND_MS;
    let block = 0;
    for (const height of heights) if (height.at <= due) block = height.block;
    return block;
  }
  const isBehind = ({ latest }: State): boolean => latest !== undefined && latest < expected();
  const rank = (state: State): number => (isBehind(state) ? 1 : 0);
  /** Endpoints that are not down, best first. */
  const inOrder = (): State[] =>
    states.filter(({ fault }) => fault === undefined).sort((a, b) => rank(a) - rank(b));
  const byLoad = (): State[] => inOrder().sort((a, b) => rank(a) - rank(b) || a.rpc.load() - b.rpc.load());

  function noteLatest(state: State, block: number): void {
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
    state: State,
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
    state: State,
    outcome: Promise<Of>,
    failure: Of["kind"],
  ): Promise<Of> {
    state.calls++;
    const found = await outcome;
    if (found.kind === failure) state.failures++;
    return found;
  }

  /** True if the endpoint reports a head of this chain. */
  async function probe(state: State): Promise<boolean> {
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
  function probeTogether(state: State): Promise<boolean> {
    state.probing ??= probe(state).finally(() => {
      state.probing = undefined;
    });
    return state.probing;
  }
  const isAt = ({ verifiedAt, latest = -1 }: State, block: number): boolean =>
    verifiedAt > 0 && latest >= block;
  /** Whether the endpoint has seen this chain up to a block, waiting up to `ms` for a probe. */
  async function hasSeen(state: State, block: number, ms: number): Promise<boolean> {
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

  function watch(): void {
    if (!isWatching) probing.add(setInterval(probeOthers, PROBE_MS).unref());
    isWatching = true;
  }

  /** Tries one endpoint after another until one answers. A fault takes an endpoint out until a probe succeeds. */
  async function ask(
    call: Call,
    { accepts = () => true, spread = false, seen, waitMs }: AskOptions,
  ): Promise<PoolAnswer> {
    watch();
    const deadline = performance.now() + waitMs;
    const isGood = (outcome: Outcome, { rpc }: State): outcome is Answer =>
      outcome.kind === "answer" && accepts(outcome.result, rpc.place);
    let last: Error = new Error(`no RPC endpoint answered ${call.method}`);
    for (;;) {
      let refused: Refusal | undefined;
      let isUnknown = false;
      // Of endpoints that took too long. What one answers later says nothing of the one that is asked by then.
      const pending: Promise<{ readonly late: Answer }>[] = [];
      const left = Math.max(1, deadline - performance.now());
      const candidates = spread ? byLoad() : inOrder();
      // Who waits for less time gives each of them a share of it.
      const hedgeMs = left < SOON_MS ? left / candidates.length : SOON_MS;
      for (const state of candidates) {
        // Don't await anything for a healthy endpoint: the call must count towards its load at once.
        if (seen !== undefined && !isAt(state, seen) && !(await hasSeen(state, seen, hedgeMs))) {
          isUnknown ||= state.fault === undefined;
          if (performance.now() >= deadline) break;
          continue;
        }
        const askedAt = performance.now();
        const asked = count(state, state.rpc.ask(call, TIMEOUT_MS), "fault");
        const outcome = await withTimeout(hedgeMs, Promise.race([asked, ...pending]));
        if (outcome === undefined) {
          pending.push(asked.then((late) => (isGood(late, state) ? { late } : never())));
          // A caller with a shorter timeout proves nothing about the endpoint.
          if (hedgeMs === SOON_MS) fail(state, "timeout", { askedAt });
        } else if ("late" in outcome) {
          return outcome.late;
        } else if (outcome.kind === "answer") {
          if (isGood(outcome, state)) return outcome;
          isUnknown = true;
        } else if (outcome.kind === "fault") {
          last = outcome.error;
          fail(state, outcome.reason, { askedAt, retryAfterMs: outcome.retryAfterMs });
        } else if (isAboutCall(outcome.error, call)) {
          throw outcome.error;
        } else if (await probe(state)) {
          refused ??= outcome;
        }
        if (performance.now() >= deadline) break;
      }
      if (isUnknown || refused) return { kind: "unknown", refused };
      if (performance.now() >= deadline) throw last;
      do {
        const answered = await withTimeout(POLL_MS, Promise.race(pending));
        if (answered) return answered.late;
      } while (inOrder().length === 0 && performance.now() < deadline);
    }
  }

  return {
    ask,
    /** Asks each of several endpoints for its head, waiting up to `ms`: which are behind is known then. */
    async compareHeads(ms: number): Promise<void> {
      if (states.length > 1) await Promise.all(states.map((state) => withTimeout(ms, probeTogether(state))));
    },
    /** Records the head that an endpoint, by position, has reported. */
    noteHead(endpoint: number, block: number): void {
      const state = states[endpoint - 1];
      if (state) noteLatest(state, block);
    },
    /** Whether every endpoint has been down for `ms` or longer. */
    areDown: (ms: number): boolean =>
      states.every(({ fault, faultAt }) => fault !== undefined && performance.now() - faultAt >= ms),
    /** The highest reported head; 0 if there is none. */
    height: (): number => heights.at(-1)?.block ?? 0,
    /** After a reorg that shortened the chain: no endpoint is expected to reach heights above this any more. */
    lower(block: number): void {
      heights = heights.filter((height) => height.block < block);
    },
    /** Usable endpoints by position, best first; if none is known to be healthy, all of this chain. */
    places(): number[] {
      const up = inOrder();
      const ours = states.filter(({ fault }) => !isOtherChain(fault));
      return (up.length > 0 ? up : ours).map(({ rpc }) => rpc.place);
    },
    /** A call to this endpoint, by position, has failed: a probe shows whether the call or the endpoint is at fault. */
    suspect(endpoint: number): void {
      const state = states[endpoint - 1];
      if (state && state.probes === 0) void probe(state);
      watch();
    },
    /** Keeps probing all endpoints, even without calls. */
    watch,
    fail(endpoint: number, reason: string): void {
      const state = states[endpoint - 1];
      if (state) fail(state, reason);
    },
    /** This process's calls so far, and how many of them failed. A probe is one. */
    counts: (): readonly EndpointCounts[] =>
      states.map(({ rpc, calls, failures }) => ({ endpoint: rpc.place, calls, failures })),
    report(): EndpointReport[] {
      const used = inOrder()[0];
      return states.map((state) => ({
        endpoint: state.rpc.place,
        host: state.rpc.host,
        status: state.fault ? "down" : isBehind(state) ? "behind" : state === used ? "used" : "ready",
        reason: state.fault ?? (isBehind(state) ? `${expected() - (state.latest ?? 0)} blocks behind` : null),
        latestBlock: state.latest ?? null,
      }));
    },
  };
}

// A new one each time: a shared promise would retain everything that waits for it.
const never = (): Promise<never> => new Promise(() => undefined);
const INVALID_PARAMS = -32_602;
// Method not found (JSON-RPC 2.0, EIP-1474), and a revert.
const CALL_CODES: readonly number[] = [INVALID_PARAMS, -32_601, -32_004, 3];

/** Whether another endpoint would return the same error. */
function isAboutCall(error: Error, call: Call): boolean {
  const { code = 0 } = error as { code?: number };
  // Some nodes return this code for a block they lack: one that others have, or that was reorged out.
  if (code === INVALID_PARAMS && namesHash(call)) return false;
  return CALL_CODES.includes(code);
}

const HASH = /^0x[0-9a-f]{64}$/i;

/** A block hash, as a parameter or inside one (EIP-234, EIP-1898); a transaction hash counts too. */
const namesHash = ({ params = [] }: Call): boolean =>
  params.some((param) => {
    const hash = (param as { blockHash?: unknown } | null)?.blockHash ?? param;
    return typeof hash === "string" && HASH.test(hash);
  });
