/**
 * The only way to fetch foreign URLs. Every connection goes to an address that was just checked, so neither a redirect
 * nor a second DNS answer leads to a private network; size and time are bounded while reading.
 */

import { isUtf8 } from "node:buffer";
import { Agent, type Dispatcher } from "undici";
import { untilAborted, withDeadline } from "../async/timeout.ts";
import { parseUrl } from "../text/parse-url.ts";
import { inSpan, SpanKind } from "../tracing/spans.ts";
import {
  boundedRetryAfterMs,
  type FailedFetch,
  failed,
  toFailedFetch,
  totalTimeout,
} from "./fetch-failure.ts";
import { createForeignLookup } from "./foreign-names.ts";
import { guardedConnector, hostAndPort, type Lookup } from "./guarded-connector.ts";
import { gatewayOf } from "./locate.ts";
import { refuseUrl } from "./refuse-url.ts";
import { readBody } from "./response-body.ts";

export interface FetchedBody {
  readonly kind: "fetched";
  readonly body: Buffer;
  readonly url: string;
  readonly contentType: string;
  /** The strong ETag of these bytes under the URL that was asked for; undefined if there is none, as after a redirect. */
  readonly etag?: string;
  /** The host still has the bytes of `ifNoneMatch`, and sent nothing. */
  readonly isUnchanged?: true;
}

export type Fetched = FetchedBody | FailedFetch;

export interface FetchOptions {
  readonly bytesMax: number;
  readonly timeoutMs: number;
  readonly accept: string;
  /** The `etag` of an earlier answer, whose body the host need not send again. Not sent to where the URL redirects. */
  readonly ifNoneMatch?: string | undefined;
  /** Reads only the start of a body over `bytesMax`; otherwise such a body is refused. */
  readonly isStartEnough?: boolean;
  readonly signal?: AbortSignal | undefined;
  /** Called when a body begins to arrive: at an answer of 200. */
  readonly onBody?: (() => void) | undefined;
}

export interface FetchSettings {
  /** Called once per connection to a host that the operator has not allowed; `createForeignLookup()` by default. */
  readonly lookup?: Lookup;
  readonly connectTimeoutMs?: number;
  /**
   * The operator's IPFS gateways, which may be on private addresses. There, only content paths may be fetched, by the
   * first URL and every redirect alike.
   */
  readonly gateways?: readonly string[];
  /** For all headers, and between two chunks of a body. */
  readonly idleTimeoutMs?: number;
}

const REDIRECTS_MAX = 5;
export const CONNECT_TIMEOUT_MS = 5_000;
const IDLE_TIMEOUT_MS = 10_000;
// However long a host offers to keep a connection: there are as many as hosts were asked.
export const KEEP_ALIVE_MAX_MS = 10_000;
const TRANSIENT_STATUSES = new Set([408, 425, 429]);

export type GuardedFetch = (url: string, options: FetchOptions) => Promise<Fetched>;

/** `allowedHosts` are `host:port` entries that may be private, configured by the operator. */
export function createGuardedFetch(
  allowedHosts: ReadonlySet<string>,
  userAgent: string,
  settings: FetchSettings = {},
): GuardedFetch {
  const {
    lookup = createForeignLookup(),
    connectTimeoutMs = CONNECT_TIMEOUT_MS,
    gateways = [],
    idleTimeoutMs = IDLE_TIMEOUT_MS,
  } = settings;
  const sentUserAgent = headerText(userAgent);
  const createAgent = (hosts: ReadonlySet<string>): Agent =>
    new Agent({
      connect: guardedConnector(hosts, lookup, connectTimeoutMs),
      keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
      headersTimeout: idleTimeoutMs,
      bodyTimeout: idleTimeoutMs,
    });
  const agent = createAgent(allowedHosts);
  const gatewayAgent = createAgent(new Set([...allowedHosts, ...gateways.map(hostAndPort)]));

  async function follow(url: string, options: FetchOptions, signal: AbortSignal): Promise<Fetched> {
    let target = url;
    for (let redirects = 0; redirects <= REDIRECTS_MAX; redirects++) {
      const refusal = refuseUrl(target);
      if (refusal) return refusal;
      const { origin, pathname, search, href } = new URL(target);
      const isContent = gatewayOf(href, gateways) !== undefined;
      // An ETag names the bytes of one URL (RFC 9110, 8.8.3), and a redirect may lead to another one next time.
      const ifNoneMatch = redirects === 0 ? options.ifNoneMatch : undefined;
      const ask = () =>
        (isContent ? gatewayAgent : agent).request({
          origin,
          path: pathname + search,
          method: "GET",
          signal,
          headers: {
            accept: options.accept,
            // Under the name of deflate, hosts send two formats.
            "accept-encoding": "gzip, br",
            "user-agent": sentUserAgent,
            "cache-control": "no-cache",
            ...(ifNoneMatch !== undefined && { "if-none-match": ifNoneMatch }),
          },
        });
      const response = await inRequestSpan(origin, () => onLiveConnection(ask, signal));
      const next = redirectTarget(response, target);
      if (next === undefined) return await read(response, target, { ...options, ifNoneMatch }, redirects > 0);
      discard(response);
      target = next;
    }
    return failed("too_many_redirects", `more than ${REDIRECTS_MAX} redirects`, false);
  }

  return async (url, options) => {
    const { timeoutMs, signal: outer } = options;
    try {
      return await withDeadline(timeoutMs, outer, (signal) => follow(url, options, signal), totalTimeout);
    } catch (error) {
      const limits = { total: timeoutMs, connect: connectTimeoutMs, idle: idleTimeoutMs };
      return toFailedFetch(error as Error, limits);
    }
  };
}

/** Any other character in a header makes every request fail, and the operator's contact is part of one. */
export const headerText = (text: string): string => text.replace(/[^\x20-\x7e]/g, "?");

/**
 * A span with the host and nothing else of the URL, whose path and query may be secrets. Strangers' hosts learn nothing of
 * the trace.
 */
const inRequestSpan = (origin: string, request: () => Promise<Response>): Promise<Response> =>
  inSpan(
    "GET",
    () => {
      const { hostname, port, protocol } = new URL(origin);
      return {
        kind: SpanKind.CLIENT,
        attributes: {
          "http.request.method": "GET",
          "server.address": hostname,
          "server.port": Number(port) || (protocol === "https:" ? 443 : 80),
        },
      };
    },
    async (span) => {
      const response = await request();
      span?.setAttribute("http.response.status_code", response.statusCode);
      return response;
    },
  );

type Response = Dispatcher.ResponseData;

/** A repeated header counts once. */
function headerOf({ headers }: Response, name: string): string | null {
  const value = headers[name];
  return (Array.isArray(value) ? value[0] : value) ?? null;
}

/** Closes the connection instead of reading what nobody needs. */
function discard({ body }: Response): void {
  body.on("error", () => undefined);
  body.destroy();
}

/**
 * Sends a request that may arrive twice, and once more if a connection that had served before has ended without this
 * answer. Hosts close idle connections, and those that have served for long, while the next request is on its way
 * (RFC 9110, 9.2.2).
 */
export const onLiveConnection = (ask: () => Promise<Response>, signal: AbortSignal): Promise<Response> => {
  const answer = ask().catch((error) => {
    if (!isOfUsedConnection(error)) throw error;
    return ask();
  });
  // Undici heeds a request's signal only once it is connected.
  return untilAborted(signal, answer);
};

const isOfUsedConnection = (error?: { readonly socket?: { readonly bytesRead?: number } }): boolean =>
  (error?.socket?.bytesRead ?? 0) > 0;

function redirectTarget(response: Response, from: string): string | undefined {
  const header = headerOf(response, "location");
  if (![301, 302, 303, 307, 308].includes(response.statusCode) || header === null) return undefined;
  const location = asText(header);
  return parseUrl(location, from)?.href ?? location;
}

/** Hosts send names in bare UTF-8, as browsers read them; a header arrives as one character per byte. */
function asText(header: string): string {
  const bytes = Buffer.from(header, "latin1");
  return isUtf8(bytes) ? bytes.toString("utf8") : header;
}

async function read(
  response: Response,
  url: string,
  options: FetchOptions,
  isRedirected: boolean,
): Promise<Fetched> {
  const { ifNoneMatch } = options;
  const etag = headerOf(response, "etag");
  const answer = {
    kind: "fetched",
    url,
    contentType: headerOf(response, "content-type") ?? "",
    // A weak one may stand for other bytes as well (RFC 9110, 8.8.1).
    ...(!isRedirected && etag?.startsWith('"') && { etag }),
  } as const;
  if (response.statusCode === 304 && ifNoneMatch !== undefined) {
    discard(response);
    return { ...answer, body: Buffer.alloc(0), isUnchanged: true };
  }
  if (response.statusCode !== 200) {
    discard(response);
    return statusFailure(response);
  }
  options.onBody?.();
  return { ...answer, body: await readBody(response.body, response.headers["content-encoding"], options) };
}

function statusFailure(response: Response): Fetched {
  const { statusCode: status } = response;
  const retryAfter = boundedRetryAfterMs(headerOf(response, "retry-after"));
  const challenged =
    headerOf(response, "cf-mitigated") !== null ||
    (headerOf(response, "content-type") ?? "").includes("text/html");
  if ([403, 429, 503].includes(status) && challenged) {
    const message = `the host answered ${status} with a challenge for browsers; its owner must let our User-Agent through`;
    return { ...failed("blocked_by_host", message, true, retryAfter), status };
  }
  const transient = TRANSIENT_STATUSES.has(status) || status >= 500;
  return { ...failed("http_status", `the host answered ${status}`, transient, retryAfter), status };
}
