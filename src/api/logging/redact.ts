/** Keeps keys, links, cookies and tokens out of logs, wherever they appear. */

import { processWide } from "../process-wide.ts";
import type { Logger } from "./logger.ts";

// Keys (vk), login links (vl) and sessions (vs) have prefixes, and people identify them by their first characters.
// The signing secrets of webhooks (Standard Webhooks).
const SIGNING = /(whsec_[A-Za-z0-9+/]{4})[A-Za-z0-9+/=]{8,}/g;
const OWN = /(v[kls]_[0-9a-f]{6})[0-9a-f_]{8,}/g;
// A value in these places is a secret, even if we did not issue it.
const QUERY = /([?&](?:apiKey|api_key|key|token)=)[^&\s"'#]+/gi;
// A quoted value ends at its quote, any other at its line, because schemes and cookies contain spaces.
const HEADER =
  /\b((?:authorization|cookie|set-cookie|x-api-key)\\*["']?\s*[:=]\s*(?=\S))(?:"[^"\r\n]*"?|'[^'\r\n]*'?|[^\r\n]+)/gi;
const BEARER = /\b(bearer\s+)[\w.~+/=-]{8,}/gi;
// PostgreSQL repeats the row that it refuses, with ciphertexts and hashes as hex.
const BYTES = /\\x[0-9a-f]{16,}/gi;
const SECRET_NAME = /^(?:authorization|cookie|set-cookie|x-api-key)$/i;
const DEPTH_MAX = 6;

// Of a URL's parts, shorter ones are versions and names, which other texts contain as well.
const KEY_LENGTH_MIN = 16;

/** What may be shown in place of each text that is secret; those that contain others come first. */
const hidden = processWide("hidden URLs", () => new Map<string, string>());

/**
 * From now on, logs show nothing of this URL but its scheme and host: its user, path and query are often a key. Errors
 * quote it whole, without its user, or only its path or the key in it.
 */
export function hideUrl(text: string): void {
  const url = new URL(text);
  const shown = `${url.protocol}//${url.host}`;
  const rest = url.pathname + url.search;
  const hasPath = rest !== "/";
  if (!hasPath && !url.username && !url.password) return;
  const short = hasPath ? `${shown}/…` : shown;
  for (const whole of [text, url.href, shown + rest])
    if (whole.length > shown.length + 1) hidden.set(whole, short);
  // Without a digit, a folder is a name, such as that of a network, which other lines have as well.
  const folders = url.pathname.split("/").filter((part) => /\d/.test(part));
  const keys = [rest, url.username, url.password, ...folders, ...url.searchParams.values()].filter(
    (part) => part.length >= KEY_LENGTH_MIN,
  );
  for (const key of keys) hidden.set(key, "…");
  const longestFirst = [...hidden].sort(([a], [b]) => b.length - a.length);
  hidden.clear();
  for (const [secret, instead] of longestFirst) hidden.set(secret, instead);
}

function withoutHidden(text: string): string {
  let cut = text;
  for (const [secret, instead] of hidden) cut = cut.replaceAll(secret, () => instead);
  return cut;
}

/** The text with every secret cut to the part that may be shown. */
export const redactText = (text: string): string =>
  withoutHidden(text)
    .replace(OWN, "$1…")
    .replace(SIGNING, "$1…")
    .replace(QUERY, "$1…")
    .replace(HEADER, "$1…")
    .replace(BEARER, "$1…")
    .replace(BYTES, "\\x…");

function redact(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return redactText(value);
  if (typeof value !== "object" || value === null) return value;
  // As it is, it would be printed with its secrets.
  if (depth > DEPTH_MAX) return "…";
  if (value instanceof Error) return redactError(value, depth);
  if (Array.isArray(value)) return value.map((each) => redact(each, depth + 1));
  // Dates, buffers and the like contain no text; a copy would only lose their type.
  if (Object.getPrototypeOf(value) !== Object.prototype) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      redactText(name),
      SECRET_NAME.test(name) ? "…" : redact(each, depth + 1),
    ]),
  );
}

/** The same error for printing: it keeps its class, code and stack, and only secrets in them are cut. */
export function redactError(error: Error, depth = 0): Error {
  const members = Object.entries(Object.getOwnPropertyDescriptors(error))
    .filter(([, descriptor]) => "value" in descriptor)
    .map(([name, descriptor]) => [name, { ...descriptor, value: redact(descriptor.value, depth + 1) }]);
  // A DOMException keeps its text in private members, which an object with the same prototype lacks.
  const isPrivate = error instanceof DOMException;
  const prototype = isPrivate ? Error.prototype : Object.getPrototypeOf(error);
  const redacted = Object.create(prototype, Object.fromEntries(members)) as Error;
  if (isPrivate) Object.assign(redacted, { name: error.name, message: redactText(error.message) });
  Object.defineProperty(redacted, "stack", { value: redactText(error.stack ?? ""), configurable: true });
  return redacted;
}

/** A logger that redacts every line, including error messages, stacks and causes. */
export function redactSecrets(logger: Logger): Logger {
  type Entry = Parameters<Logger["info"]>[0];
  const at = (level: keyof Logger) => (entry: Entry) => logger[level](redact(entry) as Entry);
  return { debug: at("debug"), info: at("info"), warn: at("warn"), error: at("error") };
}
