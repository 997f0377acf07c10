/**
 * Posts to foreign URLs, with the guards of `createGuardedFetch`. A redirect is an answer and is never followed. A post may
 * arrive twice.
 */

import { Agent, type Dispatcher } from "undici";
import { withDeadline, withTimeout } from "../async/timeout.ts";
import { boundedRetryAfterMs, type FailedFetch, toFailedFetch, totalTimeout } from "./fetch-failure.ts";
import { createForeignLookup } from "./foreign-names.ts";
import { guardedConnector } from "./guarded-connector.ts";
import {
  CONNECT_TIMEOUT_MS,
  type FetchSettings,
  headerText,
  KEEP_ALIVE_MAX_MS,
  onLiveConnection,
} from "./guarded-fetch.ts";
import { refuseUrl } from "./refuse-url.ts";
import { readBody } from "./response-body.ts";

// The status is the answer; a body that does not come soon is not worth the wait.
const BODY_WAIT_MS = 1_000;

export interface PostOptions {
  readonly body: string;
  readonly headers: Readonly<Record<string, string>>;
  /** For the whole request, in milliseconds. */
  readonly timeoutMs: number;
  /** How much of the answer's body is read. */
  readonly bytesMax: number;
  readonly signal?: AbortSignal | undefined;
}

export type Posted =
  | {
      readonly kind: "answered";
      /** Any status, also of a redirect. */
      readonly status: number;
      /** The start of the body as text; empty if it could not be read. */
      readonly text: string;
      /** Milliseconds, at most an hour; undefined if the host sent none. */
      readonly retryAfterMs: number | undefined;
    }
  | FailedFetch;

/** Never rejects. */
export type GuardedPost = (url: string, options: PostOptions) => Promise<Posted>;

/** `allowedHosts` are `host:port` entries that may be private and without TLS, configured by the operator. */
export function createGuardedPost(
  allowedHosts: ReadonlySet<string>,
  userAgent: string,
  { lookup = createForeignLookup(), connectTimeoutMs = CONNECT_TIMEOUT_MS }: FetchSettings = {},
): GuardedPost {
  const sentUserAgent = headerText(userAgent);
  const agent = new Agent({
    connect: guardedConnector(allowedHosts, lookup, connectTimeoutMs, true),
    keepAliveMaxTimeout: KEEP_ALIVE_MAX_MS,
  });

  return async (url, { body, headers, timeoutMs, bytesMax, signal }) => {
    const refusal = refuseUrl(url);
    if (refusal) return refusal;
    const { origin, pathname, search } = new URL(url);
    const post = async (ending: AbortSignal): Promise<Posted> => {
      const ask = () =>
        agent.request({
          origin,
          path: pathname + search,
          method: "POST",
          signal: ending,
          body,
          headers: { ...headers, "user-agent": sentUserAgent },
        });
      const response = await onLiveConnection(ask, ending);
      return {
        kind: "answered",
        status: response.statusCode,
        text: await readStart(response, bytesMax),
        retryAfterMs: boundedRetryAfterMs(textOf(response.headers["retry-after"])),
      };
    };
    try {
      return await withDeadline(timeoutMs, signal, post, totalTimeout);
    } catch (error) {
      const limits = { total: timeoutMs, connect: connectTimeoutMs, idle: timeoutMs };
      return toFailedFetch(error as Error, limits);
    }
  };
}

const textOf = (value: string | string[] | undefined): string | null =>
  (Array.isArray(value) ? value[0] : value) ?? null;

async function readStart({ body, headers }: Dispatcher.ResponseData, bytesMax: number): Promise<string> {
  // What is left unread ends the connection.
  body.on("error", () => undefined);
  const coding = headers["content-encoding"];
  const bytes = await withTimeout(BODY_WAIT_MS, readBody(body, coding, { bytesMax, isStartEnough: true }));
  if (!body.readableEnded) body.destroy();
  return bytes?.toString("utf8") ?? "";
}
