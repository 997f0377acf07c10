/** Safe handling of untrusted JSON. */

import { isUtf8 } from "node:buffer";
import { plainJson } from "../../text/plain-json.ts";
import { storable } from "../../text/storable.ts";
import { numberSources } from "./number-source.ts";

export type JsonObject = Readonly<Record<string, unknown>>;

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Own properties only: a key can be anything, including `__proto__`. */
export const own = (object: JsonObject, key: string): unknown =>
  Object.hasOwn(object, key) ? object[key] : undefined;

export type ParsedJson =
  | {
      readonly kind: "parsed";
      readonly value: unknown;
      /** The same with each number as written; see `numberSources`. */
      readonly source: unknown;
    }
  /** `problem` is text that PostgreSQL accepts. */
  | { readonly kind: "invalid"; readonly problem: string };

const PROBLEM_LENGTH_MAX = 200;

/**
 * Parses JSON per RFC 8259: UTF-8 whatever the Content-Type says, ignoring a byte order mark. The last of duplicate
 * keys wins. Numbers are IEEE doubles; `source` has them as written. Other encodings are rejected, not guessed: a wrong
 * guess stores damaged names.
 */
export function parseJson(body: Buffer): ParsedJson {
  if (!isUtf8(body)) return { kind: "invalid", problem: `it is not UTF-8 (${firstBadByte(body)})` };
  try {
    const text = body.toString("utf8").replace(/^\uFEFF/, "");
    const json = plainJson(text);
    return { kind: "parsed", value: json.value, source: numberSources(json) };
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
    // Invalid bytes decode as U+FFFD, and so does U+FFFD itself.
    if (body.toString("hex", offset, offset + 3) !== "efbfbd") break;
    offset += 3;
    read = found + 1;
  }
  return `byte ${offset} is 0x${body.toString("hex", offset, offset + 1)}`;
}

/**
 * Replaces every string value at any depth, in place; keys stay. Not recursive: a 2 MiB document can nest a million
 * arrays, which would overflow the stack of a JSON.parse reviver.
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
