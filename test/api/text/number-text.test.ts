import { expect, it } from "vitest";
import { parseNumber } from "../../../src/api/text/number-text.ts";

it.each([
  ["7", 7],
  ["-0.5", -0.5],
  ["+12.", 12],
  [".25", 0.25],
  ["1e3", 1_000],
  ["2.5E-2", 0.025],
  ["0", 0],
])("%s is a number", (text, number) => {
  expect(parseNumber(text)).toBe(number);
});

it.each(["", " 7", "7 ", ".", "1e", "1e1234", "1e999", "0x10", "1,000", "Infinity", "NaN", "١", "1\n"])(
  "%j is none",
  (text) => {
    expect(parseNumber(text)).toBeUndefined();
  },
);
