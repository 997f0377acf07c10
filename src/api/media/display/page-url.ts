/** The addresses from which pages load a document's video and animation. */

import { reachableUrl } from "../../fetch/reachable-url.ts";
import { parseUrl } from "../../text/parse-url.ts";
import { type MediaFields, webHostOf } from "./display.ts";

/** The same with IPFS content at the first gateway, as browsers can load it; what no page can load stays as it is. */
export const asLoaded = (fields: MediaFields, gateways: readonly string[]): MediaFields => ({
  image: fields.image,
  video: fields.video === null ? null : pageUrl(fields.video, gateways),
  animation_url: fields.animation_url === null ? null : pageUrl(fields.animation_url, gateways),
});

/**
 * An http(s) URL stays as written: one that other programs read differently must not become one that they read alike.
 * Only where a gateway's URL is written as no gateway reads it, it is the one that gateways read.
 */
export function pageUrl(url: string, gateways: readonly string[]): string {
  const text = url.trim();
  const reachable = reachableUrl(text, gateways);
  if (!/^https?:/i.test(text)) return reachable ?? url;
  const isAsWritten = reachable === null || reachable === parseUrl(text)?.href;
  return isAsWritten || webHostOf(text) === undefined ? text : reachable;
}
