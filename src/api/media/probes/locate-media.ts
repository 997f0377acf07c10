/** Maps a document's URL to the URLs to fetch and the host that serves them, and says where a fetch has led. */

import { IPFS_HOST, locate, servingHost } from "../../fetch/locate.ts";
import { parseUrl } from "../../text/parse-url.ts";
import { URL_LENGTH_MAX } from "../checks/limits.ts";
import type { FetchReason } from "../checks/reasons.ts";
import { webHostOf } from "../display/display.ts";
import { pageUrl } from "../display/page-url.ts";
import type { MediaUrl } from "../media-store.ts";

export type LocatedMedia =
  | {
      readonly kind: "located";
      /** In the order to try them. */
      readonly urls: readonly [string, ...string[]];
      /** `host[:port]` of the first; `ipfs` for all gateways together. */
      readonly host: string;
    }
  | { readonly kind: "refused"; readonly reason: FetchReason; readonly message: string };

/**
 * http(s) URLs unchanged; IPFS content through each gateway in turn. Pages load the URL itself of all but images, so there
 * every program must read it as we do.
 */
export function locateMedia({ kind, url }: MediaUrl, gateways: readonly string[]): LocatedMedia {
  if (url.length > URL_LENGTH_MAX && !url.startsWith("data:")) {
    const message = `the URL has ${url.length} characters; the limit is ${URL_LENGTH_MAX}`;
    return { kind: "refused", reason: "invalid_uri", message };
  }
  const located = locate(url, gateways);
  if (located.kind === "refused") {
    const reason = located.reason === "empty_uri" ? "invalid_uri" : located.reason;
    return { kind: "refused", reason, message: located.message };
  }
  // The operator may allow documents in data URLs, but never images and videos.
  const [first, ...others] = located.kind === "located" ? located.urls : [];
  if (first === undefined)
    return { kind: "refused", reason: "unreachable", message: "no IPFS gateway is configured" };
  if (kind !== "image" && webHostOf(pageUrl(url, gateways)) === undefined) {
    const message =
      "programs read the URL differently: it has credentials, a backslash, a control character, or no // before its host";
    return { kind: "refused", reason: "invalid_url", message };
  }
  return { kind: "located", urls: [first, ...others], host: servingHost(first, gateways) };
}

/** The host from which content came at last; null if it is that of the URL, or a gateway like it. */
export function redirectedTo(
  { url: asked, host }: { readonly url: string; readonly host: string },
  url: string,
): string | null {
  const end = new URL(url).host;
  // The name of one content at a gateway is not the gateway's, by which it is known here.
  const isSame = end === host || end === parseUrl(asked)?.host;
  return host === IPFS_HOST || isSame ? null : end;
}
