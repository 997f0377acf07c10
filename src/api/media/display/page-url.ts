/** The addresses from which pages load a document's video and animation. */

import { reachableUrl } from "../../fetch/reachable-url.ts";
import type { MediaFields } from "./display.ts";

/** The same with IPFS content at the first gateway, as browsers can load it; what no page can load stays as it is. */
export const asLoaded = (fields: MediaFields, gateways: readonly string[]): MediaFields => ({
  image: fields.image,
  video: fields.video === null ? null : pageUrl(fields.video, gateways),
  animation_url: fields.animation_url === null ? null : pageUrl(fields.animation_url, gateways),
});

/** An http(s) URL stays as written: one that other programs read differently must not become one that they read alike. */
export function pageUrl(url: string, gateways: readonly string[]): string {
  const text = url.trim();
  return /^https?:/i.test(text) ? text : (reachableUrl(text, gateways) ?? url);
}
