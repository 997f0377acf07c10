/** When a failed request is sent again, and after how long. */

import { VitrineError } from "./errors.ts";
import { sleep } from "./timer.ts";

const FIRST_DELAY_MS = 250;
const LONGEST_DELAY_MS = 10_000;

export interface RetryPolicy {
  /** Attempts after the first; 0 turns retries off. */
  readonly retries: number;
  /** A longer `Retry-After` is not waited for: the error is thrown, with its `retryAfterMs`. */
  readonly maxRetryAfterMs: number;
}

/**
 * True for what the same request may get past: 429, which refuses a request before anything is done, of every request;
 * 502, 503, 504 and network faults, after which nobody knows what was done, only of requests that may be repeated.
 */
export function isRetryable(error: unknown, isIdempotent: boolean): error is VitrineError {
  if (!(error instanceof VitrineError)) return false;
  if (error.status === 429) return true;
  return isIdempotent && (error.code === "NETWORK" || [502, 503, 504].includes(error.status));
}

/** True for what a stream, which never gives up, may get past: also 408 and every 5xx, of the service or of a proxy. */
export function isPassing(error: unknown): error is VitrineError {
  return (
    isRetryable(error, true) ||
    (error instanceof VitrineError && (error.status === 408 || error.status >= 500))
  );
}

/** What the service asked for, or else a random time below a limit that doubles with each attempt, from 0. */
export function delayOf(attempt: number, error?: VitrineError): number {
  if (error?.retryAfterMs !== undefined) return error.retryAfterMs;
  const limit = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempt);
  return limit / 2 + (Math.random() * limit) / 2;
}

/** Runs `send` until it succeeds, fails with what no retry helps, or used up its attempts. */
export async function withRetries<Answer>(
  send: () => Promise<Answer>,
  policy: RetryPolicy & {
    readonly isIdempotent: boolean;
    readonly signal: AbortSignal | undefined;
    /** Called with what an attempt has failed with before the next one. */
    readonly onRetry?: ((error: VitrineError) => void) | undefined;
  },
): Promise<Answer> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await send();
    } catch (error) {
      if (attempt >= policy.retries || !isRetryable(error, policy.isIdempotent)) throw error;
      if ((error.retryAfterMs ?? 0) > policy.maxRetryAfterMs) throw error;
      await sleep(delayOf(attempt, error), policy.signal);
      policy.onRetry?.(error);
    }
  }
}
