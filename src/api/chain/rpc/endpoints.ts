/**
 * The pool of a chain's RPC endpoints: calls go to the best one first. The index's calls go through it, probes keep what
 * it knows current (endpoint-health.ts), and clients that read contracts (clients.ts) take its order of endpoints, count
 * their calls with it, and report what fails.
 */

import type { ChainConfig } from "../../../config.ts";
import { withTimeout } from "../../async/timeout.ts";
import { processWide } from "../../process-wide.ts";
import { type Call, type Outcome, outcomeOf } from "./endpoint.ts";
import { createEndpointHealth, type EndpointState } from "./endpoint-health.ts";
import { isOtherChain } from "./endpoint-probe.ts";

const POLL_MS = 100;
// After this long without a response, the next endpoint is tried as well; the first response wins.
const SOON_MS = 3_000;
const TIMEOUT_MS = 10_000;

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

export type Endpoints = ReturnType<typeof createEndpoints>;

// One per chain and process: indexer and API share the same faults.
const shared = processWide("RPC endpoints", () => new Map<string, Endpoints>());

/** The pool of a configured chain, shared by all callers. */
export function endpointsOf(chain: ChainConfig): Endpoints {
  const key = [chain.id, ...chain.rpcUrls].join(" ");
  const known = shared.get(key);
  if (known) return known;
  const endpoints = createEndpoints(chain);
  shared.set(key, endpoints);
  return endpoints;
}

export function createEndpoints(chain: Pick<ChainConfig, "id" | "rpcUrls">) {
  const health = createEndpointHealth(chain);
  const { states, inOrder, byLoad, isBehind, isAt, hasSeen, noteLatest, fail, count, probe, watch } = health;

  /** Tries one endpoint after another until one answers. A fault takes an endpoint out until a probe succeeds. */
  async function ask(
    call: Call,
    { accepts = () => true, spread = false, seen, waitMs }: AskOptions,
  ): Promise<PoolAnswer> {
    watch();
    const deadline = performance.now() + waitMs;
    const isGood = (outcome: Outcome, { rpc }: EndpointState): outcome is Answer =>
      outcome.kind === "answer" && accepts(outcome.result, rpc.place);
    let last: Error = new Error(`no RPC endpoint answered ${call.method}`);
    // Of gateways that pass on some methods only. Ponder ends at such an error, so all must say so.
    const withoutMethod = new Set<EndpointState>();
    const isCandidate = (state: EndpointState): boolean => !withoutMethod.has(state);
    for (;;) {
      let refused: Refusal | undefined;
      let isUnknown = false;
      // Of endpoints that took too long. What one answers later says nothing of the one that is asked by then.
      const pending: Promise<{ readonly late: Answer }>[] = [];
      const left = Math.max(1, deadline - performance.now());
      const candidates = (spread ? byLoad() : inOrder()).filter(isCandidate);
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
        } else if (isAboutMethod(outcome.error)) {
          withoutMethod.add(state);
          if (withoutMethod.size === states.length) throw outcome.error;
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
      } while (!inOrder().some(isCandidate) && performance.now() < deadline);
    }
  }

  return {
    ask,
    /** Asks each of several endpoints for its head, waiting up to `ms`: which are behind is known then. */
    async compareHeads(ms: number): Promise<void> {
      if (states.length > 1)
        await Promise.all(states.map((state) => withTimeout(ms, health.probeTogether(state))));
    },
    /** Records the head that an endpoint, by position, has reported. */
    noteHead(endpoint: number, block: number): void {
      const state = states[endpoint - 1];
      if (state) noteLatest(state, block);
    },
    /** Whether every endpoint has been down for `ms` or longer. */
    areDown: (ms: number): boolean =>
      states.every(({ fault, faultAt }) => fault !== undefined && performance.now() - faultAt >= ms),
    height: health.height,
    lower: health.lower,
    /** Usable endpoints by position, best first; if none is known to be healthy, all of this chain. */
    places(): number[] {
      const up = inOrder();
      const ours = states.filter(({ fault }) => !isOtherChain(fault));
      return (up.length > 0 ? up : ours).map(({ rpc }) => rpc.place);
    },
    /**
     * A client's own call to an endpoint, by position, among this process's calls. Settles as the call does. One that its
     * caller has given up is no failure.
     */
    async counted<Of>(
      endpoint: number,
      call: Call,
      work: Promise<Of>,
      signal: AbortSignal | undefined,
    ): Promise<Of> {
      const state = states[endpoint - 1];
      const outcome = work.then(
        (result): Outcome => ({ kind: "answer", result }),
        (error: Error): Outcome =>
          signal?.aborted ? { kind: "answer", result: undefined } : outcomeOf(error, call),
      );
      if (state) await count(state, outcome, "fault");
      return work;
    },
    /** A call to this endpoint, by position, has failed: a probe shows whether the call or the endpoint is at fault. */
    suspect(endpoint: number): void {
      const state = states[endpoint - 1];
      if (state && state.probes === 0) void probe(state);
      watch();
    },
    watch,
    fail(endpoint: number, reason: string): void {
      const state = states[endpoint - 1];
      if (state) fail(state, reason);
    },
    /** The answer of this endpoint, by position, can't be used: its call has failed. */
    reject(endpoint: number, reason: string): void {
      const state = states[endpoint - 1];
      if (!state) return;
      state.failures++;
      fail(state, reason);
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
        reason:
          state.fault ??
          (isBehind(state) ? `${health.expected() - (state.latest ?? 0)} blocks behind` : null),
        latestBlock: state.latest ?? null,
      }));
    },
  };
}

// A new one each time: a shared promise would retain everything that waits for it.
const never = (): Promise<never> => new Promise(() => undefined);
const INVALID_PARAMS = -32_602;
const REVERT = 3;
// Not found (JSON-RPC 2.0), and not supported (EIP-1474).
const METHOD_CODES: readonly unknown[] = [-32_601, -32_004];

/** Whether another endpoint would return the same error. */
function isAboutCall(error: Error, call: Call): boolean {
  const { code = 0 } = error as { code?: number };
  // Some nodes return this code for a block they lack: one that others have, or that was reorged out.
  if (code === INVALID_PARAMS && namesHash(call)) return false;
  return code === INVALID_PARAMS || code === REVERT;
}

/** Whether the endpoint lacks the method, which another one may have. */
const isAboutMethod = (error: Error): boolean => METHOD_CODES.includes((error as { code?: unknown }).code);

const HASH = /^0x[0-9a-f]{64}$/i;

/** A block hash, as a parameter or inside one (EIP-234, EIP-1898); a transaction hash counts too. */
const namesHash = ({ params = [] }: Call): boolean =>
  params.some((param) => {
    const hash = (param as { blockHash?: unknown } | null)?.blockHash ?? param;
    return typeof hash === "string" && HASH.test(hash);
  });
