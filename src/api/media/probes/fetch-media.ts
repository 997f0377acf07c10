/** Fetches images, videos and pages through the guarded fetch; IPFS content from the first gateway that answers. */

import { createGatewayHealth, type GatewayHealth } from "../../fetch/gateway-health.ts";
import type { Fetched, GuardedFetch } from "../../fetch/guarded-fetch.ts";
import { gatewayOf } from "../../fetch/locate.ts";
import type { FetchReason } from "../checks/reasons.ts";
import { locateMedia } from "./locate-media.ts";

const TIMEOUT_MS = 30_000;

export interface MediaRequest {
  readonly url: string;
  readonly bytesMax: number;
  readonly accept: string;
  /** See `FetchOptions`. */
  readonly ifNoneMatch?: string | undefined;
  readonly isStartEnough?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export type MediaFetched =
  | Extract<Fetched, { kind: "fetched" }>
  /** The content exists but exceeds the limit. */
  | { readonly kind: "too_large" }
  | Unread;

export interface Unread {
  readonly kind: "unread";
  readonly reason: FetchReason;
  readonly message: string;
  /** A retry soon may succeed. */
  readonly transient: boolean;
  readonly retryAfterMs?: number | undefined;
}

export type FetchMedia = (request: MediaRequest) => Promise<MediaFetched>;

/** Whatever a host does is returned as a result; nothing it does makes this throw. */
export function createFetchMedia(deps: {
  readonly fetch: GuardedFetch;
  /** Also reaches the operator's own gateways on private addresses; used only for content paths on them. */
  readonly fetchFromGateway: GuardedFetch;
  readonly gateways: readonly string[];
  /** Shared with the gateways' other users. */
  readonly health?: GatewayHealth;
}): FetchMedia {
  const { fetch, fetchFromGateway, gateways, health = createGatewayHealth(gateways) } = deps;

  return async ({ url, ...request }) => {
    const located = locateMedia(url, gateways);
    if (located.kind === "refused") return unread(located.reason, located.message, false);
    let last: Unread | undefined;
    for (const each of health.inOrder(located.urls)) {
      const gateway = gatewayOf(each, gateways);
      const options = { ...request, timeoutMs: TIMEOUT_MS };
      const answer = await (gateway === undefined ? fetch : fetchFromGateway)(each, options);
      const isAnswered = answer.kind === "fetched" || !answer.transient;
      // An aborted fetch says nothing about the gateway.
      if (gateway !== undefined && !request.signal?.aborted) health.note(gateway, isAnswered);
      if (answer.kind === "fetched") return answer;
      const { reason, message, transient, retryAfterMs } = answer;
      if (reason === "too_large") return { kind: "too_large" };
      // A gateway that could not answer leaves the result open, whatever the others answered.
      if (!last?.transient || transient) last = { ...unread(reason, message, transient), retryAfterMs };
    }
    return last ?? unread("unreachable", "no IPFS gateway is configured", true);
  };
}

const unread = (reason: FetchReason, message: string, transient: boolean): Unread => ({
  kind: "unread",
  reason,
  message,
  transient,
});
