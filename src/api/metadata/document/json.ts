/** Looking at JSON that a stranger wrote. */

import { isUtf8 } from "node:buffer";
import { numberSources } from "./number-source.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Own properties only: a key may be called anything, `__proto__` included. */
export const own = (object: JsonObject, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;

/** PostgreSQL takes neither NUL nor lone surrogates; both become U+FFFD. */
export const storable = (text: string): string => text.toWellFormed().replaceAll("\u0000", "\uFFFD");

/** What arrived, in the words of JSON. */
export function describe(value: unknown): string {
  if (value === undefined) return "missing";
  if (value === null) return "null";
  if (Array.isArray(value)) return "an array";
  if (value === "") return "empty";
  if (typeof value === "object") return "an object";
  // JSON.parse gives Infinity for 1e999.
  if (typeof value === "number" && !Number.isFinite(value)) return "a number too large to hold";
  return `a ${typeof value}`;
}

export type ParsedJson =
  | {
      readonly kind: "parsed";
      readonly value: unknown;
      /** The same with each number as it is written; see `numberSources`. */
      readonly source: unknown;
    }
  /** What is wrong, as text that PostgreSQL takes. */
  | { readonly kind: "invalid"; readonly problem: string };

const PROBLEM_LENGTH_MAX = 200;

/**
 * Reads JSON as RFC 8259 has it: UTF-8 whatever the Content-Type says, a byte order mark ignored. Of equal keys the last
 * one counts; numbers are IEEE doubles, and `source` has them as they are written. Other encodings are refused rather than guessed: a guess stores damaged names.
 */
export function parseJson(body: Buffer): ParsedJson {
  if (!isUtf8(body)) return { kind: "invalid", problem: `it is not UTF-8 (${firstBadByte(body)})` };
  try {
    const text = body.toString("utf8").replace(/^\uFEFF/, "");
    const value: unknown = JSON.parse(text);
    return { kind: "parsed", value, source: numberSources(text, value) };
  } catch (error) {
    // The message quotes the document.
    return { kind: "invalid", problem: storable((error as Error).message.slice(0, PROBLEM_LENGTH_MAX)) };
  }
}

function firstBadByte(body: Buffer): string {
  const mark = body.toString("hex", 0, 2);
  if (mark === "fffe" || mark === "feff") return "its byte order mark says UTF-16";
  const text = body.toString("utf8");
  let offset = 0;
  let read = 0;
  for (let found = text.indexOf("\uFFFD"); found >= 0; found = text.indexOf("\uFFFD", read)) {
    offset += Buffer.byteLength(text.slice(read, found));
    // Bad bytes read as U+FFFD, and so does U+FFFD itself.
    if (body.toString("hex", offset, offset + 3) !== "efbfbd") break;
    offset += 3;
    read = found + 1;
  }
  return `byte ${offset} is 0x${body.toString("hex", offset, offset + 1)}`;
}

/**
 * Replaces every string value, at any depth, in place; keys stay. Without recursion, because a document of 2 MiB can
 * nest a million arrays, which the reviver of JSON.parse does not survive.
 */
export function replaceStrings(root: unknown, replace: (text: string) => string): unknown {
  const holder: Record<string, unknown> = { root };
  const open: Record<string | number, unknown>[] = [holder];
  for (let container = open.pop(); container; container = open.pop()) {
    for (const key of Array.isArray(container) ? container.keys() : Object.keys(container)) {
      const value = container[key];
      if (typeof value === "string") container[key] = replace(value);
      else if (typeof value === "object" && value !== null) open.push(value as typeof container);
    }
  }
  return holder.root;
}
