/** Whether an `animation_url` leads to a page that can be framed. */

import { type Refusal, refuse } from "./reasons.ts";
import { isImage, sniff } from "./sniff.ts";

const HTML_TYPES = ["text/html", "application/xhtml+xml"];

/**
 * Browsers trust the host's content type for pages, so it must be HTML; but content that is plainly an image is one
 * under any type. Undefined when the page may be framed.
 */
export function checkAnimation(body: Buffer, contentType: string): Refusal | undefined {
  const type = (contentType.split(";")[0] ?? "").trim().toLowerCase();
  const content = sniff(body);
  if (isImage(content)) return refuse("animation_is_image", `the content is ${content}; it must be HTML`);
  if (type.startsWith("image/"))
    return refuse("animation_is_image", `its type is ${type}; it must be text/html`);
  if (HTML_TYPES.includes(type) && (content === undefined || content === "HTML")) return undefined;
  const found = HTML_TYPES.includes(type)
    ? `the content is ${content}`
    : `its type is ${type || "not given"}`;
  return refuse("animation_not_html", `${found}; it must be text/html`);
}
