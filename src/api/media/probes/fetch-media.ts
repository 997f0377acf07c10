/** Fetches images, videos and pages through the guarded fetch; IPFS content verified, from the first gateway that has it. */

import type { Fetching } from "../../fetch/fetching.ts";
import { createFetchContent } from "../../fetch/ipfs/fetch-content.ts";
import type { FoundContent } from "../../fetch/ipfs/gateway-request.ts";
import type { FetchReason } from "../checks/reasons.ts";
import type { MediaKind } from "../media-store.ts";
import { locateMedia } from "./locate-media.ts";

const TIMEOUT_MS = 30_000;

export interface MediaRequest {
  readonly kind: MediaKind;
  readonly url: string;
  readonly bytesMax: number;
  readonly accept: string;
  /** See `FetchOptions`. */
  readonly ifNoneMatch?: string | undefined;
  readonly isStartEnough?: boolean;
  readonly signal?: AbortSignal | undefined;
}

export type MediaFetched =
  | FoundContent
  /** The content exists but exceeds the limit. */
  | { readonly kind: "too_large"; readonly start: Buffer | undefined }
  | Unread;

export interface Unread {
  readonly kind: "unread";
  /** `image_wrong_format`: the host sent something else in place of an image that it had. */
  readonly reason: FetchReason | "image_wrong_format";
  readonly message: string;
  /** A retry soon may succeed. */
  readonly transient: boolean;
  readonly retryAfterMs?: number | undefined;
}

export type FetchMedia = (request: MediaRequest) => Promise<MediaFetched>;

/** Whatever a host does is returned as a result; nothing it does makes this throw. */
export function createFetchMedia(fetching: Omit<Fetching, "extraSchemes">): FetchMedia {
  const { gateways, fetchContent = createFetchContent(fetching) } = fetching;

  return async ({ kind, url, ...request }) => {
    const located = locateMedia({ kind, url }, gateways);
    if (located.kind === "refused") return unread(located.reason, located.message, false);
    const answer = await fetchContent(located.urls, { ...request, timeoutMs: TIMEOUT_MS });
    if (answer.kind === "fetched") return answer;
    const { reason, message, transient, retryAfterMs, start } = answer;
    if (reason === "too_large") return { kind: "too_large", start };
    return { ...unread(reason, message, transient), retryAfterMs };
  };
}

const unread = (reason: FetchReason, message: string, transient: boolean): Unread => ({
  kind: "unread",
  reason,
  message,
  transient,
});
