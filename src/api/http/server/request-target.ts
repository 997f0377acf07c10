/** What a request is for: its host and target, as the application can read them. */

import type { IncomingMessage } from "node:http";
import { clip } from "../../../domain/printable.ts";
import { parseUrl } from "../../text/parse-url.ts";
import { ApiError } from "../errors.ts";

// Answers depend on no host.
const ANY_HOST = "localhost";
// In a URL they would end the host, or be left out.
const NO_HOST = /[/?#@\\\s]/;

/**
 * Writes the host of a request as URLs have it, since that is what @hono/node-server compares it with: it would answer any
 * other spelling with 400 and no body. An HTTP/1.0 request needs none. Returns what is wrong, if anything is.
 */
export function readTarget(request: IncomingMessage): ApiError | undefined {
  const { headers, httpVersion, rawHeaders } = request;
  if (headers.host === undefined && httpVersion !== "1.0") return refused("host", "is missing");
  const isHost = (name: string, at: number): boolean => at % 2 === 0 && /^host$/i.test(name);
  if (rawHeaders.filter(isHost).length > 1) return refused("host", "is given more than once");
  const host = headers.host || ANY_HOST;
  const parsed = NO_HOST.test(host) ? undefined : parseUrl(`http://${host}`);
  if (!parsed) return refused("host", `must be a host, or a host and a port; it is "${clip(host)}"`);
  headers.host = parsed.host;
  // The scheme in lower case, as @hono/node-server looks for it.
  const url = (request.url ?? "").replace(/^https?:/i, (scheme) => scheme.toLowerCase());
  request.url = url;
  const isTarget = url.startsWith("/") || (/^https?:\/\//.test(url) && parseUrl(url) !== undefined);
  return isTarget
    ? undefined
    : refused("", `must be asked for a path or an http URL, not for "${clip(url)}"`);
}

const refused = (path: string, message: string): ApiError =>
  new ApiError("INVALID_REQUEST", [{ path, message }]);

/** The path as the application's router sees it. */
export function pathOf(target: string): string {
  const plain = /^(\/[\w./-]*)(?:\?|$)/.exec(target)?.[1];
  if (plain !== undefined && !plain.includes("/.")) return plain;
  try {
    return decodeURI(new URL(target, "http://localhost").pathname);
  } catch {
    return target;
  }
}

/** The `X-Forwarded-For` of a request, its lines as one. */
export function forwardedFor(request: IncomingMessage | undefined): string | undefined {
  const header = request?.headers["x-forwarded-for"];
  return Array.isArray(header) ? header.join(",") : header;
}
