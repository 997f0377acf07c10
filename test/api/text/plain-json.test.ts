/** Texts are read as JSON.parse is specified, whatever was read before them. */

import { expect, it } from "vitest";
import { plainJson } from "../../../src/api/text/plain-json.ts";

const parse = (text: string): unknown => plainJson(text).value;
let texts = 0;
/** Two texts whose last keys have the same place, in objects that no other test makes. */
const inOnePlace = (first: string, second: string): readonly [string, string] => {
  const place = `"place${texts++}": 0`;
  return [`{${place}, "${first}": 1}`, `{${place}, "${second}": 1}`];
};
const lastKey = (value: unknown): string | undefined => Object.keys(value as object).at(-1);

// JSON.parse of Node 23 to 26 gives the second of each the key of the first (nodejs/node#63785).
it.each([
  ["Caf\\\\", "Caf\\u00e9", "Café"],
  ["\\\\", "\\u5c5e", "属"],
  ["\\\\u", "\\u5c5e\\u6027", "属性"],
  ["\\\\", '\\"', '"'],
  ["a\\\\", "a\\n", "a\n"],
  ["\\\\", "\\/", "/"],
  ["imag\\\\", "imag\\u0065", "image"],
])("after the key %s, the key %s is %j", (first, second, key) => {
  const [before, text] = inOnePlace(first, second);
  JSON.parse(before);
  parse(before);

  expect(lastKey(parse(text))).toBe(key);
  expect(lastKey(parse(before))).toBe(JSON.parse(`"${first}"`));
});

it.each([
  ["an escaped key beside the same unescaped, of which the last wins", '{"a\\u0062": 1, "c": 2, "ab": 3}'],
  ["keys that only escapes can write", '{"x": {"\\"": 1, "\\\\": [{"\\n": 2, "\\u000a": 3}]}, "\\u0000": 4}'],
  ["a prototype's name, escaped", '{"\\u005f_proto__": {"\\\\": 1}, "\\\\": {"__proto__": 2}}'],
  ["half of a surrogate pair", '{"\\ud800": 1, "\\udc00\\\\": 2}'],
  ["numbers as keys, which come first", '{"b\\\\": 1, "\\u0031": 2, "0": 3}'],
  ["escapes in values alone", '{"a": "\\"b\\": \\\\", "c": ["\\":", "\\\\"]}'],
  ["space between a key and its colon", '{"a\\\\" \t\r\n: 1, "\\u0062"\n:2}'],
  ["no object", '"\\":"'],
])("%s", (_, text) => {
  const value = parse(text);

  expect(value).toStrictEqual(JSON.parse(text));
  expect(JSON.stringify(value)).toBe(JSON.stringify(JSON.parse(text)));
});

it("has the fault's own words of a text that is no JSON", () => {
  const text = '{"Caf\\u00e9": 1, }';
  const words = (read: () => unknown): string => {
    try {
      read();
      return "";
    } catch (error) {
      return (error as Error).message;
    }
  };

  expect(words(() => parse(text))).toBe(words(() => JSON.parse(text)));
});

it.each([
  ["as it is", '{"\uE0000": 1, "\\"": 2, "\\n": {"\uE000": "\uE0001"}}'],
  ["escaped", '{"\\uE0000": 1, "a\\n": 2}'],
  ["escaped, in lower case and last", '{"a\\n": 1, "\\ue0000": 2}'],
])("a text with the character that stands for a name is read as any other: %s", (_name, text) => {
  expect(parse(text)).toStrictEqual(JSON.parse(text));
});

it.each(['{"a\\\\": ', '{"\\x": 1}', '"\\', "{'a\\\\': 1}", '{"a\\\\"', ""])("refuses %s", (text) => {
  expect(() => parse(text)).toThrow(SyntaxError);
});

it("reads keys at any depth", () => {
  const depth = 200_000;
  let value = parse(`${'{"\\\\": ['.repeat(depth)}${"]}".repeat(depth)}`);
  let levels = 0;
  for (; value !== undefined; levels++) value = (value as { "\\": unknown[] })["\\"][0];

  expect(levels).toBe(depth);
});
