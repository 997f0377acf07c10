/** Turns a document's URL into one that a browser can load. */

import { locate } from "./locate.ts";

/** An http(s) URL unchanged, IPFS content through the first gateway, null for anything else. */
export function reachableUrl(url: string, gateways: readonly string[]): string | null {
  const located = locate(url, gateways);
  return located.kind === "located" ? (located.urls[0] ?? null) : null;
}
