/**
 * The one way strangers' URLs are fetched. Every connection is made to an address that was checked at that
 * moment, so neither a redirect nor a second DNS answer leads inside; size and time are bounded while reading.
 */

import { type LookupAddress, type LookupAllOptions, lookup as systemLookup } from "node:dns";
import { isIP, type LookupFunction } from "node:net";
import { Agent, buildConnector, fetch, type Response } from "undici";
import { isPublicAddress } from "./safe-address.ts";

export type FetchFailure =
  | "host_refused"
  | "invalid_url"
  | "too_many_redirects"
  | "too_large"
  | "timeout"
  | "unreachable"
  | "http_status"
  | "blocked_by_host";

export type Fetched =
  | { readonly kind: "fetched"; readonly body: Buffer; readonly url: string; readonly contentType: string }
  | {
      readonly kind: "failed";
      readonly reason: FetchFailure;
      readonly message: string;
      /** Worth another try later, as opposed to the token's own fault. */
      readonly transient: boolean;
      readonly retryAfterMs?: number | undefined;
    };

export interface FetchOptions {
  readonly bytesMax: number;
  readonly timeoutMs: number;
  readonly accept: string;
  readonly signal?: AbortSignal | undefined;
}

/** How names are looked up: every address of the host, in the order to try them. */
export type Lookup = (
  hostname: string,
  options: LookupAllOptions,
  callback: (error: NodeJS.ErrnoException | null, addresses: LookupAddress[]) => void,
) => void;

export interface FetchSettings {
  /** Asked once per connection. The system's resolver by default. */
  readonly lookup?: Lookup;
  readonly connectTimeoutMs?: number;
  /** For all headers, and between two pieces of a body. */
  readonly idleTimeoutMs?: number;
}

const REDIRECTS_MAX = 5;
const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 10_000;
const RETRY_AFTER_MAX_MS = 3_600_000;
const LOCALHOST = /(?:^|\.)localhost\.?$/;
const TRANSIENT_STATUSES = new Set([408, 425, 429]);

class HostRefused extends Error {}

export type GuardedFetch = (url: string, options: FetchOptions) => Promise<Fetched>;

/** `allowedHosts` are `host:port` entries that may be private: what the operator configured himself. */
export function createGuardedFetch(
  allowedHosts: ReadonlySet<string>,
  userAgent: string,
  settings: FetchSettings = {},
): GuardedFetch {
  const {
    lookup = systemLookup,
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
    idleTimeoutMs = IDLE_TIMEOUT_MS,
  } = settings;
  // Anything else in a header makes every fetch fail, and the operator's contact is part of it.
  const sentUserAgent = userAgent.replace(/[^\x20-\x7e]/g, "?");
  const agent = new Agent({
    connect: guardedConnector(allowedHosts, lookup, connectTimeoutMs),
    headersTimeout: idleTimeoutMs,
    bodyTimeout: idleTimeoutMs,
  });

  return async (url, options) => {
    const signals = [AbortSignal.timeout(options.timeoutMs), ...(options.signal ? [options.signal] : [])];
    const signal = AbortSignal.any(signals);
    try {
      let target = url;
      for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
        const refusal = refuseUrl(target);
        if (refusal) return refusal;
        const response = await fetch(target, {
          dispatcher: agent,
          redirect: "manual",
          signal,
          headers: { accept: options.accept, "user-agent": sentUserAgent, "cache-control": "no-cache" },
        });
        const next = redirectTarget(response, target);
        if (next === undefined) return await read(response, target, options.bytesMax);
        await response.body?.cancel();
        target = next;
      }
      return failed("too_many_redirects", `more than ${REDIRECTS_MAX} redirects`, false);
    } catch (error) {
      return explain(error as Error, {
        total: options.timeoutMs,
        connect: connectTimeoutMs,
        idle: idleTimeoutMs,
      });
    }
  };
}

function guardedConnector(
  allowedHosts: ReadonlySet<string>,
  lookup: Lookup,
  timeout: number,
): buildConnector.connector {
  const checkedLookup: LookupFunction = (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, addresses) => {
      if (error) return callback(error, []);
      const bad = addresses.find(({ address }) => !isPublicAddress(address));
      // One bad address refuses the host: otherwise the connection's own choice decides.
      if (bad) return callback(new HostRefused(`${hostname} resolves to a private address`), []);
      if (options.all) return callback(null, addresses);
      const [first] = addresses;
      return first ? callback(null, first.address, first.family) : callback(new Error("no address"), []);
    });
  };
  const open = buildConnector({ timeout });
  const guarded = buildConnector({ timeout, lookup: checkedLookup });

  return (options, callback) => {
    const port = options.port || (options.protocol === "https:" ? "443" : "80");
    const literal = options.hostname.replace(/^\[|\]$/g, "");
    // An IPv6 address arrives bare and is configured in brackets, as URLs spell it.
    const host = isIP(literal) === 6 ? `[${literal}]` : literal.toLowerCase();
    if (allowedHosts.has(`${host}:${port}`)) return open(options, callback);
    // `lookup` is never called for a literal address.
    if (isIP(literal) && !isPublicAddress(literal)) {
      return callback(new HostRefused(`${literal} is a private address`), null);
    }
    // Loopback by definition, also where the resolver does not know it (RFC 6761, 6.3).
    if (LOCALHOST.test(host)) return callback(new HostRefused(`${host} is this machine`), null);
    return guarded(options, callback);
  };
}

function refuseUrl(url: string): Fetched | undefined {
  if (!URL.canParse(url)) return failed("invalid_url", "the URL can't be parsed", false);
  const { protocol, username, password } = new URL(url);
  if (protocol !== "http:" && protocol !== "https:")
    return failed("invalid_url", `${protocol} is not http(s)`, false);
  if (username || password) return failed("invalid_url", "the URL carries credentials", false);
  return undefined;
}

function redirectTarget(response: Response, from: string): string | undefined {
  const location = response.headers.get("location");
  if (![301, 302, 303, 307, 308].includes(response.status) || location === null) return undefined;
  return URL.canParse(location, from) ? new URL(location, from).href : location;
}

async function read(response: Response, url: string, bytesMax: number): Promise<Fetched> {
  if (response.status !== 200) {
    await response.body?.cancel();
    return statusFailure(response);
  }
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  // Counted after decompression, so that a small bomb does not become a large one.
  for await (const chunk of response.body ?? []) {
    bytes += chunk.byteLength;
    if (bytes > bytesMax) {
      return failed("too_large", `the body is over ${bytesMax} bytes`, false);
    }
    chunks.push(chunk);
  }
  return {
    kind: "fetched",
    body: Buffer.concat(chunks),
    url,
    contentType: response.headers.get("content-type") ?? "",
  };
}

function statusFailure(response: Response): Fetched {
  const { status, headers } = response;
  const challenged = headers.has("cf-mitigated") || (headers.get("content-type") ?? "").includes("text/html");
  if ([403, 429, 503].includes(status) && challenged) {
    const message = `the host answered ${status} with a challenge for browsers; its owner must let our User-Agent through`;
    return failed("blocked_by_host", message, true, retryAfterMs(headers.get("retry-after")));
  }
  const transient = TRANSIENT_STATUSES.has(status) || status >= 500;
  return failed(
    "http_status",
    `the host answered ${status}`,
    transient,
    retryAfterMs(headers.get("retry-after")),
  );
}

/** Retry-After in seconds or as a date (RFC 9110, 10.2.3), at most an hour. */
function retryAfterMs(header: string | null): number | undefined {
  if (header === null) return undefined;
  const ms = /^\d+$/.test(header) ? Number(header) * 1000 : Date.parse(header) - Date.now();
  return Number.isFinite(ms) ? Math.min(Math.max(ms, 0), RETRY_AFTER_MAX_MS) : undefined;
}

function explain(error: Error, limitsMs: { total: number; connect: number; idle: number }): Fetched {
  const timeout = (problem: string): Fetched => failed("timeout", problem, true);
  for (let cause: unknown = error; cause instanceof Error; cause = cause.cause) {
    if (cause instanceof HostRefused) return failed("host_refused", cause.message, false);
    // The ports that browsers never speak HTTP to, such as 25 (Fetch standard, "port blocking").
    if (cause.message === "bad port") return failed("invalid_url", "the URL's port is not for HTTP", false);
    if (cause.name === "TimeoutError") return timeout(`no answer within ${limitsMs.total} ms`);
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "UND_ERR_CONNECT_TIMEOUT") return timeout(`no connection within ${limitsMs.connect} ms`);
    if (code === "UND_ERR_HEADERS_TIMEOUT") return timeout(`no complete headers within ${limitsMs.idle} ms`);
    if (code === "UND_ERR_BODY_TIMEOUT") return timeout(`the body stood still for ${limitsMs.idle} ms`);
  }
  const cause = error.cause as NodeJS.ErrnoException | undefined;
  return failed("unreachable", `the host can't be reached (${cause?.code ?? error.name})`, true);
}

function failed(reason: FetchFailure, message: string, transient: boolean, retryAfter?: number): Fetched {
  return { kind: "failed", reason, message, transient, retryAfterMs: retryAfter };
}
