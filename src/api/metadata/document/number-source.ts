/**
 * Numbers as a JSON text writes them: JSON.parse keeps IEEE 754 doubles only. Node 20 gives no source text to a reviver,
 * and lossless-json was tried: it overflows the stack at 20,000 levels, refuses equal keys, and takes 3.6 times as long.
 */

import type { JsonObject } from "./json.ts";

// A number that is not written as JavaScript writes it may be one of these: -0, 16 digits or more, an exponent, a zero at
// the end of a fraction, six zeros at its start. In a string it is taken for one, which costs time and nothing else.
const UNUSUAL = /[:[,]\s*(?:-0(?!\.)|-?(?:\d(?:\.?\d){15}|[\d.]+[eE]|\d+\.\d*0(?!\d)|0\.0{6}))/;

/**
 * What JSON.parse made of `text`, with each number as the string that it was written as; `value` itself where each is
 * written as JavaScript writes it anyway, as in most documents. `text` is valid JSON, whose root is no number.
 */
export function numberSources(text: string, value: unknown): unknown {
  return UNUSUAL.test(text) ? JSON.parse(quoteNumbers(text)) : value;
}

/** The text of the number that `key` of an object of `numberSources` holds. */
export const sourceAt = (object: JsonObject, key: string): string => String(object[key]);

/** Whether the double is shown as the number that `source`, a JSON number, names. So 0.1, 1.10 and 1e23 are exact. */
export function isExact(source: string, kept: number): boolean {
  return source === String(kept) || decimalOf(source) === decimalOf(String(kept));
}

/** The parser itself resolves depth, equal keys and `__proto__` again, so both values have one shape. */
function quoteNumbers(text: string): string {
  const parts: string[] = [];
  let at = 0;
  for (let start = text.indexOf('"'); start >= 0; start = text.indexOf('"', at)) {
    const end = endOfString(text, start);
    parts.push(quoteAll(text.slice(at, start)), text.slice(start, end));
    at = end;
  }
  return parts.join("") + quoteAll(text.slice(at));
}

const quoteAll = (withoutStrings: string): string => withoutStrings.replace(/-?\d[\d.eE+-]*/g, '"$&"');

/** The position after the quote that ends the string. */
function endOfString(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); ; end = text.indexOf('"', end + 1)) {
    let backslash = end;
    while (text[backslash - 1] === "\\") backslash--;
    if ((end - backslash) % 2 === 0) return end + 1;
  }
}

/** One text for all ways to write a number. Loops, since a pattern for zeros at the end takes quadratic time. */
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
