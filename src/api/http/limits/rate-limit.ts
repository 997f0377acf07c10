/** The one middleware that limits requests: a route declares what counts, and everything else is here. */

import type { Context, Env } from "hono";
import { createMiddleware } from "hono/factory";
import { ApiError } from "../errors.ts";
import { setHeader } from "../headers.ts";

/** So many in a window of time. */
export interface RateLimit {
  /** Limits of one name share their counts, in every process. */
  readonly name: string;
  readonly requests: number;
  readonly seconds: number;
  /** What is counted, in the plural; `requests` by default. */
  readonly unit?: string;
  /** For callers: which routes share the limit. */
  readonly scope?: string;
}

/** So many at once in this process, which is what they cost: memory and sockets. */
export interface InFlightLimit {
  readonly requests: number;
  /** What `Retry-After` says. */
  readonly retrySeconds: number;
  readonly unit?: string;
}

/** Whose requests share a count; `registry` for those that we send to one. */
export type Per = "app" | "client" | "process" | "registry";

export interface Taken {
  readonly isAllowed: boolean;
  readonly remaining: number;
  /** Until a retry makes sense; at least 1. */
  readonly resetSeconds: number;
  /** Of an in-flight limit: to be called once, when the request is over. */
  readonly release?: () => void;
}

export interface RateLimiter {
  readonly limit: RateLimit;
  /** Takes one request of the key's window. */
  take(key: string): Promise<Taken> | Taken;
}

/** For requests of different cost. */
export interface AmountLimiter {
  readonly limit: RateLimit;
  /** Takes all of it or refuses; a key that was refused has nothing left until the window ends. */
  take(key: string, amount: number): Promise<Taken>;
}

/** A request and what it took of its limit. */
export interface Counted {
  readonly limit: RateLimit | InFlightLimit;
  readonly per: Per;
  readonly taken: Taken | Promise<Taken>;
}

/** The text of a refusal, the same at every limit. */
export function overLimit(limit: RateLimit | InFlightLimit, per: Per, retrySeconds: number): string {
  const amount = `${limit.requests} ${limit.unit ?? "requests"}`;
  const window = "seconds" in limit ? `per ${limit.seconds} seconds` : "at once";
  const scope = "scope" in limit ? `, ${limit.scope}` : "";
  return `Limit: ${amount} ${window} per ${per}${scope}; retry in ${retrySeconds} s`;
}

/** The refusal of a request past a limit, with its Retry-After. */
export const rateLimited = (limit: RateLimit | InFlightLimit, per: Per, retrySeconds: number): ApiError =>
  new ApiError("RATE_LIMITED", [{ path: "", message: overLimit(limit, per, retrySeconds) }], {
    retryAfterSeconds: retrySeconds,
  });

/** Throws RATE_LIMITED for a request past its limit. Rate limits show in the RateLimit headers either way. */
export function answerLimit(c: Context, { limit, per }: Omit<Counted, "taken">, taken: Taken): void {
  if ("seconds" in limit) {
    setHeader(c, "RateLimit-Limit", String(limit.requests));
    setHeader(c, "RateLimit-Remaining", String(taken.remaining));
    setHeader(c, "RateLimit-Reset", String(taken.resetSeconds));
  }
  if (!taken.isAllowed) throw rateLimited(limit, per, taken.resetSeconds);
}

/**
 * Refuses requests past a limit with RATE_LIMITED. `count` takes from a limiter, by any key and cost (`perApp`, `perClient`
 * and others in count-requests.ts); undefined lets a request through uncounted. `isCacheable` answers are stored with
 * their headers, so only a refusal names the limit, and no cache may store that.
 */
export const rateLimit = <E extends Env>(
  count: (c: Context<E>) => Counted | undefined | Promise<Counted | undefined>,
  { isCacheable = false }: { readonly isCacheable?: boolean } = {},
) =>
  createMiddleware<E>(async (c, next) => {
    // Awaiting what is known already would cost each request another turn of the event loop.
    const found = count(c);
    const counted = found instanceof Promise ? await found : found;
    if (!counted) return next();
    const taken = counted.taken instanceof Promise ? await counted.taken : counted.taken;
    if (isCacheable && !taken.isAllowed) c.header("Cache-Control", "no-store");
    if (!isCacheable || !taken.isAllowed) answerLimit(c, counted, taken);
    if (!taken.release) return next();
    try {
      await next();
    } finally {
      taken.release();
    }
  });
