/**
 * When failed fetches, calls and deliveries are retried. docs/refresh.md, "Retries", shows the table of fetches and calls,
 * and a test compares the two. Rounds of samples and reads of what contracts say of themselves have pauses of their own.
 */

import { parseRetryAfter } from "../text/retry-after.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;

/** The longest Retry-After of one URL that is honoured. */
export const RETRY_AFTER_MAX_MS = HOUR;

export interface RetryPolicy {
  readonly appliesTo: string;
  /** Failures in a row until `outcome`, or of a host among its last answers; `Infinity` if it never comes. */
  readonly attempts: number;
  /** The outcome after that many failures. */
  readonly outcome: string;
  /** Milliseconds, like all times here. */
  readonly firstMs: number;
  /** The factor from each pause to the next. */
  readonly factor: number;
  readonly maxMs: number;
  /** The random share of a pause, which spreads out work that failed together. */
  readonly jitter: number;
  /** The longest Retry-After that is honoured. */
  readonly retryAfterMaxMs?: number;
}

const doubling = (firstMs: number, maxMs: number, jitter = 0.5) => ({ firstMs, factor: 2, maxMs, jitter });
const constant = (ms: number) => ({ firstMs: ms, factor: 1, maxMs: ms, jitter: 0 });

/** How many of a host's last answers count, and the share of failures that pauses it. */
export const hostWindow = { answers: 20, failedShare: 0.5 } as const;

export const retryPolicies = {
  documentFetch: {
    appliesTo: "A document whose host fails",
    attempts: 5,
    outcome: "`failed`; the next request or event tries again",
    // Soon at first, since most faults are gone by then, and a sweep ends with the retries of its last tokens.
    ...doubling(SECOND, MINUTE),
    factor: 3,
    retryAfterMaxMs: RETRY_AFTER_MAX_MS,
  },
  // A node that lags or is away recovers for all tokens at once, and nothing else is wrong with the token.
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
  // Nothing is wrong with the picture or its host, and its bytes are fetched again each time.
  mediaStoreAway: {
    appliesTo: "Media while the store of `MEDIA_STORE` fails",
    attempts: Number.POSITIVE_INFINITY,
    outcome: "",
    ...constant(30 * SECOND),
  },
  // A document that names a URL with a 404 may have been published before its image, so the URL is retried as long as
  // it is named.
  mediaUrlFault: {
    appliesTo: "Media whose URL is broken, such as one that answers 404",
    attempts: 1,
    outcome: "`rejected` if never read; tried again all the same",
    ...doubling(DAY, 30 * DAY),
  },
  hostPause: {
    appliesTo: `A host of documents or media: failures, if at least ${hostWindow.failedShare * 100} % of its last ${hostWindow.answers} answers or so are`,
    attempts: 5,
    outcome: "paused (circuit breaker open) for all its URLs; then one probe",
    ...doubling(10 * SECOND, 10 * MINUTE, 0),
    // One URL speaks only for itself; a host that means all of its URLs will send Retry-After for another one soon.
    retryAfterMaxMs: 5 * MINUTE,
  },
  hostBusy: {
    appliesTo: "A token whose host is at its concurrency limit",
    attempts: Number.POSITIVE_INFINITY,
    outcome: "",
    ...constant(0.5 * SECOND),
  },
  // One failure is chance, and a gateway answers 504 for content that nobody has. Three in a row mean that the gateway
  // itself fails. The pause spares most fetches the wait for a dead gateway, and is short enough to notice its return.
  gatewayPause: {
    appliesTo: "An IPFS gateway that fails",
    attempts: 3,
    outcome: "asked after the others",
    ...constant(MINUTE),
  },
  // Its content is hashed all the same; the pause spares fetches a request in vain.
  gatewayMismatch: {
    appliesTo: "An IPFS gateway that returns the wrong bytes",
    attempts: 1,
    outcome: "asked last; only verified content is accepted from it",
    ...constant(10 * MINUTE),
  },
  gatewayWithoutBlocks: {
    appliesTo: "An IPFS gateway that can't give blocks",
    attempts: 1,
    outcome: "asked for plain bytes, after those that give blocks",
    ...constant(10 * MINUTE),
  },
  // An endpoint that is back must be noticed within seconds, whatever Retry-After it sent.
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
    outcome: "`rate_limited`; its previous answer is served as `stale`",
    ...constant(10 * SECOND),
    retryAfterMaxMs: 5 * MINUTE,
  },
} satisfies Record<string, RetryPolicy>;

/**
 * Origins lag their own events: a token that an event left `unchanged` or `failed` is fetched again this many times. One
 * that was burned before its fetch ended is rechecked, since a reorg may remove the burn and leave the event.
 */
export const recheckPolicy = {
  pausesMs: [30 * SECOND, 5 * MINUTE, DAY],
  attempts: { unchanged: 2, failed: 3, burned: 2 },
} as const;

/**
 * Webhook deliveries: the pauses after each failure in a row of one event, about three days in all, as Standard Webhooks
 * advises. After the last one, the webhook is paused.
 */
export const webhookPausesMs: readonly number[] = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  DAY,
];

/**
 * When a receipt that waits for a paused host ends. All attempts for a document fit in, so a host that recovers serves
 * it.
 */
export const RECEIPT_TIMEOUT_MS = 10 * MINUTE;

/** The pause after this many failures in a row, from 1, or the host's Retry-After if that is longer. */
export function backoffMs(policy: RetryPolicy, failures: number, askedMs = 0): number {
  const full = Math.min(policy.firstMs * policy.factor ** (failures - 1), policy.maxMs);
  return Math.max(full * (1 - policy.jitter * Math.random()), askedMs);
}

/** The pause that a Retry-After header requests, within the policy; the first pause without one. */
export function retryAfterMs(policy: RetryPolicy, header: string | null | undefined): number {
  const headerMs = parseRetryAfter(header) ?? 0;
  return headerMs > 0 ? Math.min(headerMs, policy.retryAfterMaxMs ?? policy.maxMs) : policy.firstMs;
}
