/** Maps a document's URL to the URLs to fetch and the host that serves them. */

import { locate, servingHost } from "../../fetch/locate.ts";
import { URL_LENGTH_MAX } from "../checks/limits.ts";
import type { FetchReason } from "../checks/reasons.ts";

export type LocatedMedia =
  | {
      readonly kind: "located";
      /** In the order to try them. */
      readonly urls: readonly [string, ...string[]];
      /** `host[:port]` of the first; `ipfs` for all gateways together. */
      readonly host: string;
    }
  | { readonly kind: "refused"; readonly reason: FetchReason; readonly message: string };

/** http(s) URLs unchanged; IPFS content through each gateway in turn. */
export function locateMedia(url: string, gateways: readonly string[]): LocatedMedia {
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
  return { kind: "located", urls: [first, ...others], host: servingHost(first, gateways) };
}
