/**
 * JSON.parse whose keys are always those of the text. V8 since 13 (Node 23 to 26 at least) may give an escaped key the
 * name of one with a backslash that any earlier text had at the same place: nodejs/node#63785. So `"Caf\u00e9"` is read
 * as `Caf\` once a stranger has sent `{"Caf\\":1}`.
 */

import { randomUUID } from "node:crypto";
import { endOfString } from "./json-strings.ts";

/** A JSON text, read. */
export interface PlainJson {
  readonly value: unknown;
  /** The same JSON without escapes in keys, which JSON.parse reads right. */
  readonly text: string;
  /** Gives keys their names that can't be written without an escape, in what JSON.parse makes of `text`, or of one like it. */
  restore(value: unknown): unknown;
}

type Json = Record<string | number, unknown>;
type Plain = Pick<PlainJson, "text" | "restore">;

/** Reads a JSON text. Throws SyntaxError as JSON.parse does. */
export function plainJson(text: string): PlainJson {
  try {
    const plain: Plain = (text.includes("\\") && withPlainKeys(text)) || { text, restore: (value) => value };
    return { ...plain, value: plain.restore(JSON.parse(plain.text)) };
  } catch (error) {
    // The fault is in this text, not in the one without escapes.
    JSON.parse(text);
    throw error;
  }
}

// Of Unicode's private use. Where the text has it too, one that no sender of a text knows.
const MARK = "\uE000";
const MARK_IN_JSON = /\uE000|\\ue000/i;

/** Undefined if no key has an escape. */
function withPlainKeys(text: string): Plain | undefined {
  const mark = MARK_IN_JSON.test(text) ? randomUUID() : MARK;
  const standIns = new Map<string, string>();
  const names = new Map<string, string>();
  const parts: string[] = [];
  let at = 0;
  for (let start = text.indexOf('"'); start >= 0; ) {
    const end = endOfString(text, start);
    const literal = text.slice(start, end);
    if (literal.includes("\\") && isKey(text, end)) {
      const key = JSON.parse(literal) as string;
      let plain = key;
      if (MUST_BE_ESCAPED.test(key)) {
        plain = standIns.get(key) ?? mark + standIns.size;
        standIns.set(key, plain);
        names.set(plain, key);
      }
      parts.push(text.slice(at, start + 1), plain);
      at = end - 1;
    }
    start = text.indexOf('"', end);
  }
  if (parts.length === 0) return undefined;
  const restore = (value: unknown): unknown => (names.size > 0 ? restoreKeys(value, names) : value);
  return { text: parts.join("") + text.slice(at), restore };
}

const AFTER_KEY = /[ \t\n\r]*:/y;
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON escapes them (RFC 8259, section 7).
const MUST_BE_ESCAPED = /["\\\u0000-\u001f]/;

function isKey(text: string, end: number): boolean {
  AFTER_KEY.lastIndex = end;
  return AFTER_KEY.test(text);
}

/** Not recursive, since a text may be nested a million levels deep. */
function restoreKeys(root: unknown, names: ReadonlyMap<string, string>): unknown {
  const holder: Json = { root };
  const open = [holder];
  for (let container = open.pop(); container; container = open.pop()) {
    for (const key of Array.isArray(container) ? container.keys() : Object.keys(container)) {
      const value = container[key];
      if (typeof value !== "object" || value === null) continue;
      const restored = Array.isArray(value) ? (value as unknown as Json) : renamed(value as Json, names);
      if (restored !== value) container[key] = restored;
      open.push(restored);
    }
  }
  return holder.root;
}

/** The same object if all of its keys have their names; otherwise a new one, in the same order. */
function renamed(object: Json, names: ReadonlyMap<string, string>): Json {
  const keys = Object.keys(object);
  if (!keys.some((key) => names.has(key))) return object;
  const restored: Json = {};
  for (const key of keys) {
    const name = names.get(key) ?? key;
    // Assigned, it would be the prototype.
    if (name === "__proto__") Object.defineProperty(restored, name, own(object[key]));
    else restored[name] = object[key];
  }
  return restored;
}

const own = (value: unknown) => ({ value, writable: true, enumerable: true, configurable: true });
