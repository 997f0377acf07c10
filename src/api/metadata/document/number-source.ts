/**
 * The source text of JSON numbers: JSON.parse keeps only IEEE 754 doubles. Not by a reviver, which gets the source text
 * since Node 21 but overflows the stack at 3,000 levels, nor by lossless-json, which does so at 20,000, rejects
 * duplicate keys and takes 3.6 times as long.
 */

import { endOfString } from "../../text/json-strings.ts";
import type { PlainJson } from "../../text/plain-json.ts";
import type { JsonObject } from "./json.ts";

// Every number in a notation other than JavaScript's matches one of these: -0, 16 or more digits, an exponent, a
// trailing fraction zero, six leading fraction zeros. Matches inside strings only cost time.
const UNUSUAL = /[:[,]\s*(?:-0(?!\.)|-?(?:\d(?:\.?\d){15}|[\d.]+[eE]|\d+\.\d*0(?!\d)|0\.0{6}))/;

/**
 * The value with each number as the string it was written as; the value itself if all numbers are in JavaScript's own
 * notation, as in most documents. The root must not be a number.
 */
export function numberSources({ text, restore, value }: PlainJson): unknown {
  return UNUSUAL.test(text) ? restore(JSON.parse(quoteNumbers(text))) : value;
}

/** The source text of the number at `key`, in an object from `numberSources`. */
export const sourceAt = (object: JsonObject, key: string): string => String(object[key]);

/** Whether the double prints as the number that `source`, a JSON number, denotes. So 0.1, 1.10 and 1e23 are exact. */
export function isExact(source: string, kept: number): boolean {
  return source === String(kept) || decimalOf(source) === decimalOf(String(kept));
}

/** The parser resolves depth, duplicate keys and `__proto__` the same way again, so both values have the same shape. */
function quoteNumbers(text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (let start = 0; start < text.length; start++) {
    const character = text.charCodeAt(start);
    if (character === QUOTE) start = endOfString(text, start) - 1;
    else if (character === MINUS || isDigit(character)) {
      const end = endOfNumber(text, start);
      parts.push(text.slice(at, start), '"', text.slice(start, end), '"');
      at = end;
      start = end - 1;
    }
  }
  parts.push(text.slice(at));
  return parts.join("");
}

const [QUOTE, PLUS, MINUS, POINT, ZERO, NINE, UPPER_E, LOWER_E] = [...'"+-.09Ee'].map((character) =>
  character.charCodeAt(0),
) as [number, number, number, number, number, number, number, number];

const isDigit = (character: number): boolean => character >= ZERO && character <= NINE;

/** The position after the number's last character. */
function endOfNumber(text: string, start: number): number {
  for (let end = start + 1; ; end++) {
    const character = text.charCodeAt(end);
    const isPart =
      isDigit(character) ||
      character === POINT ||
      character === LOWER_E ||
      character === UPPER_E ||
      character === PLUS ||
      character === MINUS;
    if (!isPart) return end;
  }
}

/** A canonical form of a number. Uses loops: a pattern for trailing zeros would take quadratic time. */
function decimalOf(text: string): string {
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^(-?)(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? [];
  const digits = whole + fraction;
  let start = 0;
  while (digits[start] === "0") start++;
  let end = digits.length;
  while (end > start && digits[end - 1] === "0") end--;
  if (start === end) return "0";
  return `${sign}${digits.slice(start, end)}e${Number(exponent) - fraction.length + digits.length - end}`;
}
