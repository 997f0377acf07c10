/** ETags of JSON answers, and 304 for clients that have the current one. */

import { hash } from "node:crypto";
import type { MiddlewareHandler } from "hono";
import { isRead, setHeader } from "./headers.ts";

interface Written {
  readonly text: string;
  tag?: string;
}

/** The texts of values that are answered as they are again and again; null before the first answer. */
const written = new WeakMap<object, Written | null>();

/** Keeps the JSON of an answer as long as the value exists, which never changes from now on. Returns the value. */
export function writeOnce<Value extends object>(value: Value): Value {
  written.set(value, null);
  return value;
}

function write(value: unknown): Written {
  const kept = written.get(value as object);
  if (kept) return kept;
  const answer: Written = { text: kept === null ? JSON.stringify(value) : textOf(value) };
  if (kept === null) written.set(value as object, answer);
  return answer;
}

/** The JSON of an answer. The items of a list come first, and those that are kept are not written again. */
function textOf(value: unknown): string {
  const items = (value as { readonly items?: unknown } | null | undefined)?.items;
  if (!Array.isArray(items) || !items.some((item) => written.has(item))) return JSON.stringify(value);
  const { items: _, ...rest } = value as { readonly items: unknown };
  const list = `"items":[${items.map((item) => write(item ?? null).text).join()}]`;
  const others = JSON.stringify(rest);
  return others === "{}" ? `{${list}}` : `{${list},${others.slice(1)}`;
}

const tagOf = (answer: Written): string => {
  answer.tag ??= `W/"${hash("sha1", answer.text, "base64url")}"`;
  return answer.tag;
};

/** The ETag of an answer to GET with this value. */
export const jsonTag = (value: unknown): string => tagOf(write(value));

/**
 * Gives successful JSON answers to GET and HEAD a weak ETag of their text, and answers 304 to a request that names it in
 * `If-None-Match`. The answers are for one key, so shared caches may not store them. Replaces `c.json` instead of
 * reading the finished response as hono/etag does, which would build each answer a second time.
 */
export const revalidateJson: MiddlewareHandler = (c, next) => {
  if (!isRead(c.req)) return next();
  c.json = ((value: unknown, status: unknown, headers: unknown) => {
    const as = { "Content-Type": "application/json", ...(headers as Record<string, string> | undefined) };
    if (status !== undefined && status !== 200) return c.body(JSON.stringify(value), status as 400, as);
    const answer = write(value);
    const tag = tagOf(answer);
    setHeader(c, "ETag", tag);
    setHeader(c, "Cache-Control", "private, no-cache");
    // Said by a 304, too, and where this one isn't compressed.
    setHeader(c, "Vary", "Accept-Encoding");
    return isNamed(c.req.header("if-none-match"), tag) ? c.body(null, 304) : c.body(answer.text, 200, as);
  }) as unknown as typeof c.json;
  return next();
};

/** Whether a list of tags has this one, or is `*`: the weak comparison of RFC 9110, 13.1.2. */
export function isNamed(list: string | undefined, tag: string): boolean {
  if (list === undefined) return false;
  const opaque = (each: string): string => each.trim().replace(/^W\//, "");
  return list.trim() === "*" || list.split(",").some((each) => opaque(each) === opaque(tag));
}
