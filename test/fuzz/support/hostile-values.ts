/** Text and JSON that no client sends, from a seed. */

import type { Random } from "../../support/random.ts";

const hostile = [
  "",
  " ",
  "\\",
  "\\\\",
  "%",
  "_",
  "%%%",
  "'",
  "''; drop table vitrine.app; --",
  '"',
  "<script>alert(1)</script>",
  "../../../../etc/passwd",
  "\0",
  "a\0b",
  "\n",
  "\r\nX-Injected: 1",
  "\u2028",
  "\ud800",
  "👩‍👩‍👧‍👦",
  "İ",
  "ß".repeat(300),
  "constructor",
  "__proto__",
  "toString",
  "hasOwnProperty",
  "null",
  "undefined",
  "true",
  "NaN",
  "Infinity",
  "-0",
  "0",
  "00",
  "-1",
  "1e3",
  "1e400",
  "0x10",
  "1.5",
  "٣",
  "2147483647",
  "2147483648",
  "4294967296",
  "9007199254740993",
  "9223372036854775807",
  "9223372036854775808",
  String(2n ** 256n - 1n),
  String(2n ** 256n),
  "9".repeat(400),
  "a".repeat(5_000),
  "[]",
  "{}",
  "[[[[[[[[[[]]]]]]]]]]",
  '{"a":',
  '[{"name":"Class","values":["Mage"]}]',
  '[{"name":"Level","range":{"from":"\\u0000","to":"1e999"}}]',
  '[{"name":"__proto__","values":["constructor"]}]',
  "eyJqc29uIjp7fX0=",
  "eyJqc29uIjpudWxsLCJtZXRhIjp7InZhbHVlcyI6eyJpZCI6WyJiaWdpbnQiXX19fQ==",
  "id_asc",
  "trait:Level:desc",
  "trait::",
  "trait:__proto__:asc",
  "http://localhost:1/",
  "javascript:alert(1)",
  "0x",
  `0x${"0".repeat(40)}`,
  `0x${"f".repeat(40)}`,
  `0x${"g".repeat(40)}`,
  `0x${"0".repeat(64)}`,
  "00000000-0000-4000-8000-000000000000",
  "2024-01-01T00:00:00Z",
  "9999999-99-99",
] as const;

/** Text that is hostile, random, or one of `known`, as if the client knew real values. */
export function randomText(random: Random, known: readonly string[] = []): string {
  if (known.length > 0 && random.chance(0.5)) return random.pick(known);
  if (random.chance(0.85)) return random.pick(hostile);
  const length = random.whole(0, 20);
  return Array.from({ length }, () => String.fromCodePoint(random.whole(0, 0x2fff))).join("");
}

/** Stands for lists and objects nested a thousand deep, in a value that becomes JSON text. */
export const DEEP = "@deep@";

/** Any JSON value. */
export function randomJson(random: Random, known: readonly string[] = [], depth = 0): unknown {
  const kind = random.whole(0, depth > 3 ? 5 : 8);
  switch (kind) {
    case 0:
      return null;
    case 1:
      return random.chance(0.5);
    case 2:
      return random.pick([0, -1, 1, 1.5, 1e21, -1e-7, 2 ** 31, 2 ** 53, 1e308, random.whole(-1000, 1000)]);
    case 3:
    case 4:
    case 5:
      return randomText(random, known);
    case 6: {
      const length = random.chance(0.05) ? 150 : random.whole(0, 4);
      return Array.from({ length }, () => randomJson(random, known, depth + 1));
    }
    case 7:
      // Deeper than recursive calls could write.
      if (random.chance(0.1)) return DEEP;
      return nested(random.whole(5, 50), random.chance(0.5));
    default: {
      const names = Array.from({ length: random.whole(0, 3) }, () => randomText(random, known).slice(0, 40));
      // As JSON.parse creates it: `__proto__` is an ordinary key.
      return Object.fromEntries(names.map((name) => [name, randomJson(random, known, depth + 1)]));
    }
  }
}

/** Nested lists or objects. */
function nested(levels: number, isList: boolean): unknown {
  let value: unknown = 1;
  for (let level = 0; level < levels; level++) value = isList ? [value] : { a: value };
  return value;
}
