/**
 * The RPC endpoints of one chain, used together: which of them answer, how far each has seen the chain, and a call made
 * of the best one first. Everything in this process that asks the chain's nodes shares what is known here.
 */

import type { ChainConfig } from "../../../config.ts";
import { retryPolicies } from "../../jobs/retry-policies.ts";
import { withTimeout } from "../../jobs/timeout.ts";
import { type Call, createEndpoint, type Outcome, type RpcEndpoint } from "./endpoint.ts";
import { isOtherChain, probeEndpoint } from "./endpoint-probe.ts";

const PROBE_MS = 1_000;
const PROBES_MAX = 4;
const POLL_MS = 100;
// How far an endpoint is that nobody asks, for the day when it is needed.
const PROBE_AFTER_MS = 5_000;
// An address may come to lead to another chain's node, also while it is in use.
const VERIFY_MS = 15_000;
// After this long without an answer the next endpoint is asked; the first may still be the one that answers.
const SOON_MS = 3_000;
const TIMEOUT_MS = 10_000;
// A head that another endpoint showed this long ago should be known to all.
const BEHIND_MS = 8_000;

/** For `/freshness`. `reason` is null for `used` and `ready`. */
export interface EndpointReport {
  readonly endpoint: number;
  readonly host: string;
  readonly status: "used" | "ready" | "behind" | "down";
  readonly reason: string | null;
  readonly latestBlock: number | null;
}

/** `unknown`: endpoints that are well have answered, and none had what was asked for; `refused` is what one of them said. */
export type PoolAnswer =
  | { readonly kind: "answer"; readonly result: unknown }
  | { readonly kind: "unknown"; readonly refused: Refusal | undefined };
type Refusal = Extract<Outcome, { kind: "refused" }>;

export interface AskOptions {
  /** False for an answer that says that this endpoint does not know. */
  readonly accepts?: (result: unknown, endpoint: number) => boolean;
  /** Over all endpoints by how busy they are, for calls that any can answer; otherwise in order of preference. */
  readonly spread?: boolean;
  /** Asks only endpoints that have seen the chain up to this block; the others answer without what comes after theirs. */
  readonly seen?: number | undefined;
  /** How long to wait while no endpoint answers; then it rejects with the last fault. */
  readonly waitMs: number;
}

interface State {
  readonly rpc: RpcEndpoint;
  /** When a probe has found last that it serves this chain; 0 before it has. */
  verifiedAt: number;
  probing: Promise<boolean> | undefined;
  fault: string | undefined;
  /** Not asked again before. */
  pausedUntil: number;
  latest: number | undefined;
  probedAt: number;
  probes: number;
}

export type Endpoints = ReturnType<typeof createEndpoints>;

// One per chain and process: Ponder's half and the serving half know of the same faults.
const shared = new Map<string, Endpoints>();

/** The endpoints of a chain of the configuration, the same for all who ask. */
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
      probing: undefined,
      fault: undefined,
      pausedUntil: 0,
      latest: undefined,
      probedAt: 0,
      probes: 0,
    }),
  );
  /** New heights of the chain and when any endpoint first showed them, oldest first. */
  let heights: { readonly block: number; readonly at: number }[] = [];
  let isWatching = false;

  function expected(): number {
    const due = Date.now() - BEHIND_MS;
    let block = 0;
    for (const height of heights) if (height.at <= due) block = height.block;
    return block;
  }
  const isBehind = ({ latest }: State): boolean => latest !== undefined && latest < expected();
  const rank = (state: State): number => (isBehind(state) ? 1 : 0);
  /** Those that are not down, the best first. */
  const inOrder = (): State[] =>
    states.filter(({ fault }) => fault === undefined).sort((a, b) => rank(a) - rank(b));
  const byLoad = (): State[] => inOrder().sort((a, b) => rank(a) - rank(b) || a.rpc.load() - b.rpc.load());

  function noteLatest(state: State, block: number): void {
    state.latest = block;
    state.probedAt = Date.now();
    const last = heights.at(-1);
    if (last && block <= last.block) return;
    const due = Date.now() - BEHIND_MS;
    // Of those that are due, the newest says it all.
    while (heights.length > 1 && (heights[1]?.at ?? due + 1) <= due) heights.shift();
    heights.push({ block, at: Date.now() });
  }
  function fail(state: State, reason: string, retryAfterMs = retryPolicies.rpcEndpoint.firstMs): void {
    state.pausedUntil = Math.max(state.pausedUntil, Date.now() + retryAfterMs);
    state.fault = reason;
  }

  /** True when the endpoint tells a head of this chain. */
  async function probe(state: State): Promise<boolean> {
    state.probes++;
    const found = await probeEndpoint(state.rpc, chainId);
    state.probes--;
    state.verifiedAt = found.kind === "well" ? Date.now() : 0;
    if (found.kind === "down") {
      fail(state, found.reason, found.retryAfterMs);
      if (isOtherChain(found.reason)) {
        // What it has shown may be part of them, and would be expected of the others.
        heights = [];
        state.latest = undefined;
      }
      return false;
    }
    noteLatest(state, found.latest);
    state.fault = undefined;
    return true;
  }
  /** One probe for all who want to know at the same time. */
  function probeTogether(state: State): Promise<boolean> {
    state.probing ??= probe(state).finally(() => {
      state.probing = undefined;
    });
    return state.probing;
  }
  const isAt = ({ verifiedAt, latest = -1 }: State, block: number): boolean =>
    verifiedAt > 0 && latest >= block;
  /** Whether the endpoint has seen this chain up to a block, as far as it says within `ms`. */
  async function hasSeen(state: State, block: number, ms: number): Promise<boolean> {
    const isFresh = state.verifiedAt > 0 && Date.now() - state.probedAt < PROBE_MS;
    if (!isAt(state, block) && !isFresh) await withTimeout(ms, probeTogether(state));
    return isAt(state, block);
  }
  /** Each second: those that are down, however long the last probe hangs; now and then the others. */
  function probeOthers(): void {
    const now = Date.now();
    for (const state of states) {
      const isOld = now - state.probedAt >= PROBE_AFTER_MS || now - state.verifiedAt >= VERIFY_MS;
      const isDue = state.fault !== undefined || isOld;
      const isHanging = state.probes > PROBES_MAX;
      if (!isDue || isHanging || now < state.pausedUntil - PROBE_MS / 2) continue;
      if (state.fault === undefined) state.probedAt = now;
      void probe(state);
    }
  }

  function watch(): void {
    if (!isWatching) setInterval(probeOthers, PROBE_MS).unref();
    isWatching = true;
  }

  /** Asks endpoint after endpoint until one answers. Faults put an endpoint out until a probe finds it well. */
  async function ask(
    call: Call,
    { accepts = () => true, spread = false, seen, waitMs }: AskOptions,
  ): Promise<PoolAnswer> {
    watch();
    const deadline = Date.now() + waitMs;
    const isGood = (outcome: Outcome, { rpc }: State): boolean =>
      outcome.kind === "answer" && accepts(outcome.result, rpc.place);
    let last: Error = new Error(`no RPC endpoint answered ${call.method}`);
    for (;;) {
      let refused: Refusal | undefined;
      let isUnknown = false;
      const pending: Promise<Outcome>[] = [];
      const left = Math.max(1, deadline - Date.now());
      for (const state of spread ? byLoad() : inOrder()) {
        const isSoon = Math.min(SOON_MS, left);
        // Nothing is awaited for one that is known to be well: what it is asked counts as its load at once.
        if (seen !== undefined && !isAt(state, seen) && !(await hasSeen(state, seen, isSoon))) {
          isUnknown ||= state.fault === undefined;
          if (Date.now() >= deadline) break;
          continue;
        }
        const asked = state.rpc.ask(call, TIMEOUT_MS);
        const outcome = await withTimeout(isSoon, Promise.race([asked, ...pending]));
        if (outcome === undefined) {
          pending.push(asked.then((late) => (isGood(late, state) ? late : never())));
          // Who has less patience than that has found out nothing.
          if (isSoon === SOON_MS) fail(state, "timeout");
        } else if (outcome.kind === "answer") {
          if (isGood(outcome, state)) return outcome;
          isUnknown = true;
        } else if (outcome.kind === "fault") {
          last = outcome.error;
          fail(state, outcome.reason, outcome.retryAfterMs);
        } else if (isAboutCall(outcome.error, call)) {
          throw outcome.error;
        } else if (await probe(state)) {
          refused ??= outcome;
        }
        if (Date.now() >= deadline) break;
      }
      if (isUnknown || refused) return { kind: "unknown", refused };
      if (Date.now() >= deadline) throw last;
      do {
        const late = await withTimeout(POLL_MS, Promise.race(pending));
        if (late?.kind === "answer") return late;
      } while (inOrder().length === 0 && Date.now() < deadline);
    }
  }

  return {
    ask,
    /** What an endpoint, by its place, has shown as its head. */
    noteHead(endpoint: number, block: number): void {
      const state = states[endpoint - 1];
      if (state) noteLatest(state, block);
    },
    /** The highest head that any endpoint has shown; 0 before any has. */
    height: (): number => heights.at(-1)?.block ?? 0,
    /** A reorganisation has made the chain shorter: heights above are not expected of anybody any more. */
    lower(block: number): void {
      heights = heights.filter((height) => height.block < block);
    },
    /** The endpoints that may be asked now, by place, the best first; all of this chain, where none is known to be well. */
    places(): number[] {
      const up = inOrder();
      const ours = states.filter(({ fault }) => !isOtherChain(fault));
      return (up.length > 0 ? up : ours).map(({ rpc }) => rpc.place);
    },
    /** A call of this endpoint, by its place, has failed: a probe tells whether the call or the endpoint is to blame. */
    suspect(endpoint: number): void {
      const state = states[endpoint - 1];
      if (state && state.probes === 0) void probe(state);
      watch();
    },
    /** Keeps looking at all of them, though nobody asks. */
    watch,
    fail(endpoint: number, reason: string): void {
      const state = states[endpoint - 1];
      if (state) fail(state, reason);
    },
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

// A new one each time: what waits for a promise is kept for as long as the promise is.
const never = (): Promise<never> => new Promise(() => undefined);
const INVALID_PARAMS = -32_602;
// No such method (JSON-RPC 2.0, EIP-1474), a revert.
const CALL_CODES: readonly number[] = [INVALID_PARAMS, -32_601, -32_004, 3];

/** Whether another endpoint would answer the same. */
function isAboutCall(error: Error, call: Call): boolean {
  const { code = 0 } = error as { code?: number };
  // Some nodes say so of a block that they do not have: one that others have, or that the chain has dropped.
  if (code === INVALID_PARAMS && namesHash(call)) return false;
  return CALL_CODES.includes(code);
}

const HASH = /^0x[0-9a-f]{64}$/i;

/** A block's hash, as a parameter or inside one (EIP-234, EIP-1898); that of a transaction counts too. */
const namesHash = ({ params = [] }: Call): boolean =>
  params.some((param) => {
    const hash = (param as { blockHash?: unknown } | null)?.blockHash ?? param;
    return typeof hash === "string" && HASH.test(hash);
  });
