/** One HTTP request of the service: its URL, its key, its time limit, its retries and its errors. */

import { errorOf, parseBody, VitrineError } from "./errors.ts";
import { withRetries } from "./retry.ts";
import { createTimeLimit } from "./time-limit.ts";

// Of RFC 9110, 15.4: those that send a client to another address by themselves.
const REDIRECTS: ReadonlySet<number> = new Set([301, 302, 303, 307, 308]);

export interface VitrineOptions {
  /** Where the service is, without a path: `https://vitrine.example`. */
  readonly baseUrl: string;
  /** The KEY of an app. It is sent as `X-API-Key`; only the delegation registry answers without one. */
  readonly apiKey?: string | undefined;
  /** Attempts after the first that a request may take; 3 by default, 0 turns retries off. */
  readonly retries?: number;
  /** Milliseconds that one attempt may take; 30,000 by default. */
  readonly timeoutMs?: number;
  /** The longest `Retry-After` that is waited for, in milliseconds; 60,000 by default. */
  readonly maxRetryAfterMs?: number;
  /** More headers of every request. */
  readonly headers?: Readonly<Record<string, string>>;
  /** In place of the platform's own `fetch`. */
  readonly fetch?: typeof fetch;
}

/** Options of a single call. */
export interface CallOptions {
  /** Ends the request, its retries and its waits; the call rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined;
}

export interface ChainOption extends CallOptions {
  /** Needed where several chains have the address. */
  readonly chainId?: number;
}

export interface SendOptions extends CallOptions {
  readonly method: string;
  readonly path?: Readonly<Record<string, unknown>> | undefined;
  readonly query?: Readonly<Record<string, unknown>> | undefined;
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** May be sent twice: by default every method but POST. */
  readonly isIdempotent?: boolean | undefined;
  /** Called with what an attempt has failed with before the request is sent again. */
  readonly onRetry?: ((error: VitrineError) => void) | undefined;
}

export interface Sender {
  /** Milliseconds that one attempt may take. */
  readonly timeoutMs: number;
  /** Resolves with a successful response, whose body is read by `read` within the time limit. */
  send<Answer>(
    path: string,
    options: SendOptions,
    read: (response: Response) => Promise<Answer>,
  ): Promise<Answer>;
  /**
   * Resolves with a successful response of the type that is accepted as soon as its head is there: one attempt, without a
   * time limit.
   */
  open(path: string, options: SendOptions): Promise<Response>;
}

export function createSender(options: VitrineOptions): Sender {
  const { apiKey, retries = 3, timeoutMs = 30_000, maxRetryAfterMs = 60_000 } = options;
  const base = new URL(options.baseUrl);
  if (!["http:", "https:"].includes(base.protocol))
    throw new TypeError(`baseUrl is ${options.baseUrl}; it must begin with http:// or https://`);
  // A stored `fetch` throws in browsers when it is called as a method of something else.
  const fetchNow: typeof fetch = (...args) => (options.fetch ?? globalThis.fetch)(...args);

  async function attempt(url: URL, request: SendOptions, signal: AbortSignal | undefined): Promise<Response> {
    const { method, body } = request;
    const response = await fetchNow(url, {
      method,
      headers: {
        accept: "application/json",
        ...options.headers,
        ...(apiKey !== undefined && { "x-api-key": apiKey }),
        ...(body !== undefined && { "content-type": "application/json" }),
        ...request.headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
      ...(signal && { signal }),
      // Followed, a POST would become a GET, and another host would get the key.
      redirect: "manual",
    });
    const redirect = redirectOf(response, base, url);
    if (redirect) throw redirect;
    if (!response.ok) throw await errorOf(response);
    return response;
  }

  return {
    timeoutMs,
    async send(path, request, read) {
      // Not within an attempt: what is wrong with the caller's values is no fault of the network.
      const url = urlOf(base, path, request);
      const { method, signal, isIdempotent = method !== "POST", onRetry } = request;
      const once = async () => {
        const limit = createTimeLimit(timeoutMs, `No complete response within ${timeoutMs} ms`, signal);
        try {
          return await networkErrors(async () => read(await attempt(url, request, limit.signal)), signal);
        } finally {
          limit.end();
        }
      };
      return withRetries(once, { retries, maxRetryAfterMs, isIdempotent, signal, onRetry });
    },
    async open(path, request) {
      const url = urlOf(base, path, request);
      const response = await networkErrors(() => attempt(url, request, request.signal), request.signal);
      requireType(response, request.headers?.accept ?? "");
      return response;
    },
  };
}

/** What `work` throws becomes a `NETWORK` error, unless it is one already or the caller aborted. */
export async function networkErrors<Answer>(
  work: () => Promise<Answer>,
  signal: AbortSignal | undefined,
): Promise<Answer> {
  try {
    return await work();
  } catch (cause) {
    signal?.throwIfAborted();
    if (cause instanceof VitrineError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw new VitrineError(`No response: ${reason}`, { code: "NETWORK", cause });
  }
}

/** The body of a successful response. */
export const readBody = async <Answer>(response: Response): Promise<Answer> =>
  parseBody(await response.text(), "response", response.status) as Answer;

/** A proxy's page may say 200, too, and has nothing of what is read piece by piece. */
function requireType({ status, headers, body }: Response, type: string): void {
  const given = headers.get("content-type");
  if (given === null || given.toLowerCase().startsWith(type)) return;
  body?.cancel().catch(() => undefined);
  throw new VitrineError(`HTTP ${status} without ${type}: the response is of the type "${given}"`, {
    code: "UNEXPECTED_RESPONSE",
    status,
    requestId: headers.get("x-request-id") ?? undefined,
  });
}

/** The error of a redirect, which is not followed; undefined for any other response. */
function redirectOf(
  { status, type, headers, body }: Response,
  base: URL,
  asked: URL,
): VitrineError | undefined {
  if (type !== "opaqueredirect" && !REDIRECTS.has(status)) return undefined;
  body?.cancel().catch(() => undefined);
  const path = `${asked.pathname}${asked.search}`.slice(withoutSlashes(base.pathname).length);
  const root = `${base.origin}${withoutSlashes(base.pathname)}`;
  const to = locationOf(headers.get("location"), asked);
  // A page to sign in may have the path in its query.
  const isRoot = to?.endsWith(path) && !/[?#]/.test(to.slice(0, -path.length)) && to !== `${root}${path}`;
  const newRoot = isRoot ? to?.slice(0, -path.length) : undefined;
  const what = [
    ...(status === 0 ? [] : [`HTTP ${status}:`]),
    `${root} redirects${to === undefined || newRoot ? "" : ` to ${to}`};`,
    `set baseUrl to ${newRoot ?? "the service's own address"}`,
  ];
  return new VitrineError(what.join(" "), {
    code: "UNEXPECTED_RESPONSE",
    status,
    requestId: headers.get("x-request-id") ?? undefined,
  });
}

function locationOf(header: string | null, asked: URL): string | undefined {
  try {
    return header === null ? undefined : new URL(header, asked).href;
  } catch {
    return undefined;
  }
}

function urlOf(base: URL, template: string, { path = {}, query = {} }: SendOptions): URL {
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = path[name];
    if (value === undefined) throw new TypeError(`${template} needs path.${name}`);
    const text = textOf(value, `path.${name}`);
    // In a URL, they are steps to another route, however they are escaped.
    if (text === "." || text === "..")
      throw new TypeError(`path.${name} is "${text}", which no path can hold`);
    return encodeURIComponent(text);
  });
  // A base below a path of its own, as behind a proxy, keeps that path. Not resolved against the base: a path that begins
  // with two slashes would name another host.
  const url = new URL(base);
  url.pathname = `${withoutSlashes(base.pathname)}${filled}`;
  url.search = "";
  url.hash = "";
  for (const [name, value] of Object.entries(query))
    if (value !== undefined) url.searchParams.set(name, textOf(value, name));
  return url;
}

const withoutSlashes = (path: string): string =>
  path.endsWith("/") ? withoutSlashes(path.slice(0, -1)) : path;

function textOf(value: unknown, name: string): string {
  if (typeof value === "number" && !Number.isSafeInteger(value))
    throw new TypeError(`${name} is ${value}, which is no exact integer; pass a bigint or a decimal string`);
  return String(value);
}
