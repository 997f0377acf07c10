/** Why a fetch failed, and what that means for another attempt. */

import { RETRY_AFTER_MAX_MS } from "../jobs/retry-policies.ts";
import { parseRetryAfter } from "../text/retry-after.ts";
import { HostRefused } from "./guarded-connector.ts";
import { BodyTooLarge, SeveralCodings } from "./response-body.ts";

export type FetchFailure =
  | "host_refused"
  | "invalid_url"
  | "too_many_redirects"
  | "too_large"
  | "timeout"
  | "unreachable"
  | "http_status"
  | "blocked_by_host"
  /** An IPFS gateway sent only some of the content's blocks. */
  | "content_incomplete"
  /** An IPFS gateway sent other bytes than those of the CID. */
  | "content_mismatch"
  /** The operator refuses IPFS content that can't be verified. */
  | "content_unverified";

export interface FailedFetch {
  readonly kind: "failed";
  readonly reason: FetchFailure;
  readonly message: string;
  /** A later attempt may succeed; otherwise the fault is the token's own. */
  readonly transient: boolean;
  readonly retryAfterMs?: number | undefined;
  /** Of an HTTP answer that was a refusal. */
  readonly status?: number;
  /** The first bytes of a body that was too large, if any could be read. */
  readonly start?: Buffer | undefined;
}

class TotalTimeout extends Error {}

/** The reason to abort a request when the time for all of it is over. */
export const totalTimeout = (): Error => new TotalTimeout();

/** What Retry-After asks for, in milliseconds, at most an hour; undefined for a number beyond any date. */
export function boundedRetryAfterMs(header: string | null): number | undefined {
  const ms = parseRetryAfter(header);
  return ms === undefined || ms === Number.POSITIVE_INFINITY ? undefined : Math.min(ms, RETRY_AFTER_MAX_MS);
}

/** What an error of a request means. */
export function toFailedFetch(
  error: Error,
  limitsMs: { total: number; connect: number; idle: number },
): FailedFetch {
  const timeout = (problem: string): FailedFetch => failed("timeout", problem, true);
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof HostRefused) return failed("host_refused", cause.message, false);
    if (cause instanceof BodyTooLarge)
      return { ...failed("too_large", cause.message, false), start: cause.start };
    if (cause instanceof SeveralCodings) return failed("unreachable", cause.message, false);
    if (cause instanceof TotalTimeout) return timeout(`no answer within ${limitsMs.total} ms`);
    // The caller's own deadline, as of AbortSignal.timeout.
    if (cause.name === "TimeoutError") return timeout("no answer in the time that was left");
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "UND_ERR_CONNECT_TIMEOUT") return timeout(`no connection within ${limitsMs.connect} ms`);
    if (code === "UND_ERR_HEADERS_TIMEOUT") return timeout(`no complete headers within ${limitsMs.idle} ms`);
    if (code === "UND_ERR_BODY_TIMEOUT") return timeout(`the body stalled for ${limitsMs.idle} ms`);
  }
  const { code } = (error.cause ?? error) as NodeJS.ErrnoException;
  // An abort's code is a number.
  const name = typeof code === "string" ? code : error.name;
  if (isOfDecompression(name)) return failed("unreachable", `the body can't be decompressed (${name})`, true);
  return failed("unreachable", `the host can't be reached (${name})`, true);
}

/** Zlib's codes start with Z_, and those of brotli's decoder with ERR__ERROR_. */
const isOfDecompression = (code: string): boolean => /^(Z_|ERR__ERROR_)/.test(code);

export function failed(
  reason: FetchFailure,
  message: string,
  transient: boolean,
  retryAfter?: number,
): FailedFetch {
  return { kind: "failed", reason, message, transient, retryAfterMs: retryAfter };
}
