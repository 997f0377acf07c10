/** Bodies as text: JSON is UTF-8 alone (RFC 8259, 8.1). */

import type { MiddlewareHandler } from "hono";
import { ApiError } from "./errors.ts";

const decoder = new TextDecoder("utf-8", { fatal: true });

/** The text of a body. Throws INVALID_REQUEST for bytes that aren't UTF-8, which would become U+FFFD. */
export function decodeBody(bytes: Uint8Array): string {
  try {
    return decoder.decode(bytes);
  } catch (cause) {
    throw new ApiError("INVALID_REQUEST", [{ path: "", message: "the body is not valid UTF-8" }], { cause });
  }
}

/** Has everything behind it read the body as `decodeBody` does. */
export const readAsUtf8: MiddlewareHandler = async (c, next) => {
  const text = decodeBody(new Uint8Array(await c.req.arrayBuffer()));
  // Typed as text, though Hono awaits it.
  Object.assign(c.req.bodyCache, { text: Promise.resolve(text) });
  await next();
};

/** Whether a content type names no charset, or UTF-8 by any of its names. */
export const isUtf8 = (contentType: string): boolean =>
  contentType
    .split(";")
    .slice(1)
    .every((parameter) => {
      const [name = "", value = ""] = parameter.split("=");
      return name.trim().toLowerCase() !== "charset" || /^"?utf-?8"?$/i.test(value.trim());
    });
