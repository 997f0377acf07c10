/**
 * JSON.parse whose keys are always those of the text. V8 since 13 (Node 23 to 26 at least) may give an escaped key the
 * name of one with a backslash that any earlier text had at the same place: nodejs/node#63785. So `"Caf\u00e9"` is read
 * as `Caf\` once a stranger has sent `{"Caf\\":1}`.
 */

import { randomUUID } from "node:crypto";
import { endOfString } from "./json-strings.ts";

/** Throws SyntaxError as JSON.parse does. */
export function parseJsonText(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (!text.includes("\\")) return value;
  const renamed = withPlainKeys(text);
  if (renamed === undefined) return value;
  const read: unknown = JSON.parse(renamed.text);
  return renamed.names.size > 0 ? restoreKeys(read, renamed.names) : read;
}

interface Renamed {
  readonly text: string;
  /** The keys that can't be written without an escape, by the name that stands for each. */
  readonly names: ReadonlyMap<string, string>;
}

/** The same JSON, whose keys have no escapes; undefined if none had any. */
function withPlainKeys(text: string): Renamed | undefined {
  // No sender of a text knows it.
  const mark = randomUUID();
  const names = new Map<string, string>();
  const standIns = new Map<string, string>();
  const parts: string[] = [];
  let at = 0;
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = endOfString(text, start);
    const literal = text.slice(start, end);
    if (literal.includes("\\") && isKey(text, end)) {
      const key = JSON.parse(literal) as string;
      let plain = key;
      if (mustBeEscaped(key)) {
        plain = standIns.get(key) ?? `${mark}/${standIns.size}`;
        standIns.set(key, plain);
        names.set(plain, key);
      }
      parts.push(text.slice(at, start), '"', plain, '"');
      at = end;
    }
    start = text.indexOf('"', end);
  }
  return parts.length === 0 ? undefined : { text: parts.join("") + text.slice(at), names };
}

const AFTER_KEY = /[ \t\n\r]*:/y;

function isKey(text: string, end: number): boolean {
  AFTER_KEY.lastIndex = end;
  return AFTER_KEY.test(text);
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them (RFC 8259, section 7).
const mustBeEscaped = (key: string): boolean => /["\\\u0000-\u001f]/.test(key);

/** Not recursive, since a text may be nested a million levels deep. */
function restoreKeys(root: unknown, names: Renamed["names"]): unknown {
  const open = [root];
  while (open.length > 0) {
    const container = open.pop();
    if (typeof container !== "object" || container === null) continue;
    if (!Array.isArray(container)) rename(container as Record<string, unknown>, names);
    for (const value of Object.values(container)) open.push(value);
  }
  return root;
}

/** In place, in the same order. */
function rename(object: Record<string, unknown>, names: Renamed["names"]): void {
  const entries = Object.entries(object);
  const first = entries.findIndex(([key]) => names.has(key));
  if (first < 0) return;
  for (const [key, value] of entries.slice(first)) {
    delete object[key];
    // A key may be `__proto__`.
    Object.defineProperty(object, names.get(key) ?? key, {
      value,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
}
