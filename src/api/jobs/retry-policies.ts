/** When what failed is tried again. docs/refresh.md, "Retries", shows this table, and a test compares the two. */

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The longest Retry-After of one URL that is obeyed. */
export const RETRY_AFTER_MAX_MS = HOUR;

export interface RetryPolicy {
  readonly appliesTo: string;
  /** Failures in a row until `outcome`, of a host among its last answers; `Infinity` where that never comes. */
  readonly attempts: number;
  /** What follows so many failures. */
  readonly outcome: string;
  /** Milliseconds, like all times here. */
  readonly firstMs: number;
  /** How much longer each pause is than the one before. */
  readonly factor: number;
  readonly maxMs: number;
  /** The share of a pause that is left to chance, so that what failed together spreads out. */
  readonly jitter: number;
  /** The longest Retry-After that is obeyed. */
  readonly retryAfterMaxMs?: number;
}

const doubling = (firstMs: number, maxMs: number, jitter = 0.5) => ({ firstMs, factor: 2, maxMs, jitter });
const constant = (ms: number) => ({ firstMs: ms, factor: 1, maxMs: ms, jitter: 0 });

/** What counts of a host's answers, and the share of failures from which the host itself is taken to be at fault. */
export const hostWindow = { answers: 20, failedShare: 0.5 } as const;

export const retryPolicies = {
  documentFetch: {
    appliesTo: "A document whose host fails",
    attempts: 5,
    outcome: "`failed`; the next request or event tries again",
    // Soon at first, since most faults are gone by then: a sweep would wait for the last of them at its end.
    ...doubling(SECOND, MINUTE),
    factor: 3,
    retryAfterMaxMs: RETRY_AFTER_MAX_MS,
  },
  // A node that lags or is away is back for all at once, and nothing else is wrong with the token.
  nodeAway: {
    appliesTo: "A token while no RPC endpoint answers",
    attempts: Number.POSITIVE_INFINITY,
    outcome: "",
    ...doubling(2 * SECOND, 10 * SECOND),
  },
  mediaHostFault: {
    appliesTo: "Media whose host fails",
    attempts: 5,
    outcome: "`rejected` if never read; tried again all the same",
    ...doubling(2 * SECOND, DAY),
    retryAfterMaxMs: RETRY_AFTER_MAX_MS,
  },
  // What answers 404 may have been published before its image; asked again for as long as it is named.
  mediaUrlFault: {
    appliesTo: "Media whose URL leads nowhere, as by a 404",
    attempts: 1,
    outcome: "`rejected` if never read; tried again all the same",
    ...doubling(DAY, 30 * DAY),
  },
  hostPause: {
    appliesTo: `A host of documents or media: failures, if at least ${hostWindow.failedShare * 100} % of its last ${hostWindow.answers} answers or so are`,
    attempts: 5,
    outcome: "paused (circuit breaker open) for all its URLs; then one probe",
    ...doubling(10 * SECOND, 10 * MINUTE, 0),
    // What one URL asks for is its own; a host that means all of them says so again soon.
    retryAfterMaxMs: 5 * MINUTE,
  },
  hostBusy: {
    appliesTo: "A token whose host is asked as much as it may be",
    attempts: Number.POSITIVE_INFINITY,
    outcome: "",
    ...constant(0.5 * SECOND),
  },
  // One fault is chance, and a gateway answers 504 for content that nobody has: three in a row are its own state. The pause
  // spares most fetches the wait for a dead gateway, and is short enough to notice that it is back.
  gatewayPause: {
    appliesTo: "An IPFS gateway that fails",
    attempts: 3,
    outcome: "asked after the others",
    ...constant(MINUTE),
  },
  // An endpoint that is back is to be noticed within seconds, whatever it asked for.
  rpcEndpoint: {
    appliesTo: "An RPC endpoint that fails",
    attempts: 1,
    outcome: "down until a probe is answered; other endpoints are asked",
    ...constant(SECOND),
    retryAfterMaxMs: 4 * SECOND,
  },
  delegationRegistry: {
    appliesTo: "Another delegation registry that answers 429",
    attempts: 1,
    outcome: "`rate_limited`; what it told before is served as `stale`",
    ...constant(10 * SECOND),
    retryAfterMaxMs: 5 * MINUTE,
  },
} satisfies Record<string, RetryPolicy>;

/** Origins lag their own events: what an event left `unchanged` or `failed` is fetched again, so many times. */
export const recheckPolicy = {
  pausesMs: [30 * SECOND, 5 * MINUTE, DAY],
  attempts: { unchanged: 2, failed: 3 },
} as const;

/** When a receipt that waits for a paused host ends. All tries of a document fit in, so a host that comes back serves it. */
export const RECEIPT_TIMEOUT_MS = 10 * MINUTE;

/** The pause after so many failures in a row, from 1, or what the host asked for if that is longer. */
export function backoffMs(policy: RetryPolicy, failures: number, askedMs = 0): number {
  const full = Math.min(policy.firstMs * policy.factor ** (failures - 1), policy.maxMs);
  return Math.max(full * (1 - policy.jitter * Math.random()), askedMs);
}

/** What a Retry-After header in seconds asks for, within the policy; the first pause without one. */
export function retryAfterMs(policy: RetryPolicy, header: string | null | undefined): number {
  const toldMs = Number(header ?? Number.NaN) * SECOND;
  return toldMs > 0 ? Math.min(toldMs, policy.retryAfterMaxMs ?? policy.maxMs) : policy.firstMs;
}
