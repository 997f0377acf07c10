/** The one middleware that limits requests. A route declares what it counts; everything else is here. */

import type { Context, Env } from "hono";
import { createMiddleware } from "hono/factory";
import { ApiError, type ErrorDetail } from "../errors.ts";
import { setHeader } from "../headers.ts";

/** A number of requests per window of time. */
export interface RateLimit {
  /** Limits with the same name share their counts, in every process. */
  readonly name: string;
  readonly requests: number;
  readonly seconds: number;
  /** The unit, in the plural; `requests` by default. */
  readonly unit?: string;
  /** For error messages: the routes that share the limit. */
  readonly scope?: string;
}

/** A number of requests in progress in this process, whose cost is memory and sockets. */
export interface InFlightLimit {
  readonly requests: number;
  /** The value of `Retry-After`. */
  readonly retrySeconds: number;
  readonly unit?: string;
}

/** Whose requests share a count; `registry` is for requests that we send to one. */
export type Per = "app" | "client" | "process" | "registry";

export interface Taken {
  readonly isAllowed: boolean;
  readonly remaining: number;
  /** Seconds until a retry makes sense; at least 1. */
  readonly resetSeconds: number;
  /** For an in-flight limit: must be called once, when the request is over. */
  readonly release?: () => void;
}

export interface RateLimiter {
  readonly limit: RateLimit;
  /** Takes one request of the key's window. */
  take(key: string): Promise<Taken> | Taken;
}

/** For requests that differ in cost. */
export interface AmountLimiter {
  readonly limit: RateLimit;
  /** Takes `cost` points or refuses. After a refusal the key has no points left until the window ends. */
  take(key: string, amount: number): Promise<Taken>;
}

/** What would raise a limit, and the page where it is requested. */
export type Cure = Pick<ErrorDetail, "message"> & Required<Pick<ErrorDetail, "url">>;

/** A limit, and the result of counting a request against it. */
export interface Counted {
  readonly limit: RateLimit | InFlightLimit;
  readonly per: Per;
  readonly taken: Taken | Promise<Taken>;
  /** What would raise the limit, for the refusal. */
  readonly cure?: Cure | undefined;
}

/** The text of a refusal, the same for every limit. */
export function overLimit(limit: RateLimit | InFlightLimit, per: Per, retrySeconds: number): string {
  const amount = `${limit.requests} ${limit.unit ?? "requests"}`;
  const window = "seconds" in limit ? `per ${limit.seconds} seconds` : "at once";
  const scope = "scope" in limit ? `, ${limit.scope}` : "";
  return `Limit: ${amount} ${window} per ${per}${scope}; retry in ${retrySeconds} s`;
}

/** The error for a request over a limit, with its Retry-After. */
export function rateLimited(
  limit: RateLimit | InFlightLimit,
  per: Per,
  retrySeconds: number,
  cure?: Cure,
): ApiError {
  const details = [
    { path: "", message: overLimit(limit, per, retrySeconds) },
    ...(cure === undefined ? [] : [{ path: "", ...cure }]),
  ];
  return new ApiError("RATE_LIMITED", details, { retryAfterSeconds: retrySeconds });
}

/** Throws RATE_LIMITED for a request over its limit. A rate limit shows in the RateLimit headers in any case. */
export function answerLimit(c: Context, { limit, per, cure }: Omit<Counted, "taken">, taken: Taken): void {
  if ("seconds" in limit) {
    setHeader(c, "RateLimit-Limit", String(limit.requests));
    setHeader(c, "RateLimit-Remaining", String(taken.remaining));
    setHeader(c, "RateLimit-Reset", String(taken.resetSeconds));
    // draft-ietf-httpapi-ratelimit-headers-10: the quota and its window, what is left of it and for how long.
    setHeader(c, "RateLimit-Policy", `"${limit.name}";q=${limit.requests};w=${limit.seconds}`);
    setHeader(c, "RateLimit", `"${limit.name}";r=${taken.remaining};t=${taken.resetSeconds}`);
  }
  if (!taken.isAllowed) throw rateLimited(limit, per, taken.resetSeconds, cure);
}

/**
 * Refuses requests over a limit with RATE_LIMITED. `count` takes points from a limiter, by any key and cost (see
 * count-requests.ts); if it returns undefined, the request is not counted. Answers marked `isCacheable` are stored with
 * their headers, so only a refusal, which no cache may store, carries the limit's headers.
 */
export const rateLimit = <E extends Env>(
  count: (c: Context<E>) => Counted | undefined | Promise<Counted | undefined>,
  { isCacheable = false }: { readonly isCacheable?: boolean } = {},
) =>
  createMiddleware<E>(async (c, next) => {
    // Awaiting a result that is already known would cost each request another turn of the event loop.
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
