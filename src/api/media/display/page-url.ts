/** The addresses from which pages load a document's video and animation. */

import { locate } from "../../fetch/locate.ts";
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
  if (/^https?:/i.test(text)) return text;
  const located = locate(text, gateways);
  return located.kind === "located" ? (located.urls[0] ?? url) : url;
}
