/** ETags of JSON answers, and 304 for clients that have the current one. */

import { hash } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { setHeader } from "./headers.ts";

/**
 * Gives successful JSON answers to GET and HEAD a weak ETag of their text, and answers 304 to a request that names it in
 * `If-None-Match`. The answers are for one key, so shared caches may not store them. Replaces `c.json` instead of
 * reading the finished response as hono/etag does, which would build each answer a second time.
 */
export const revalidateJson: MiddlewareHandler = (c, next) => {
  if (c.req.method !== "GET" && c.req.method !== "HEAD") return next();
  c.json = ((value: unknown, status: unknown, headers: unknown) => {
    const text = JSON.stringify(value);
    const as = { "Content-Type": "application/json", ...(headers as Record<string, string> | undefined) };
    if (status !== undefined && status !== 200) return c.body(text, status as 400, as);
    const tag = `W/"${hash("sha1", text, "base64url")}"`;
    setHeader(c, "ETag", tag);
    setHeader(c, "Cache-Control", "private, no-cache");
    return isNamed(c.req.header("if-none-match"), tag) ? c.body(null, 304) : c.body(text, 200, as);
  }) as unknown as typeof c.json;
  return next();
};

/** The weak comparison of RFC 9110, 13.1.2. */
export function isNamed(ifNoneMatch: string | undefined, tag: string): boolean {
  if (ifNoneMatch === undefined) return false;
  const opaque = (each: string): string => each.trim().replace(/^W\//, "");
  return ifNoneMatch.trim() === "*" || ifNoneMatch.split(",").some((each) => opaque(each) === opaque(tag));
}
