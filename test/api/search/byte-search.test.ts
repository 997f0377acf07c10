import fc from "fast-check";
import { expect, it } from "vitest";
import { searchOf } from "../../../src/api/search/columns/byte-search.ts";

const ofFewBytes = (minLength: number, maxLength: number) =>
  fc.array(fc.constantFrom(97, 98), { minLength, maxLength }).map((bytes) => Buffer.from(bytes));

it("finds what a search from each place finds, in texts that repeat themselves", () => {
  fc.assert(
    fc.property(ofFewBytes(1, 9), ofFewBytes(0, 60), fc.nat(5), fc.nat(5), (needle, text, before, after) => {
      const bytes = Buffer.concat([Buffer.alloc(before, 98), text, Buffer.alloc(after, 97)]);

      expect(searchOf(needle)(bytes, before, before + text.length)).toBe(text.includes(needle));
    }),
    { numRuns: 5_000 },
  );
});

it.each([
  ["a long start that comes again and again", `${"a".repeat(199)}b`, "a".repeat(1_000), false],
  ["the same at last", `${"a".repeat(199)}b`, `${"a".repeat(1_000)}b`, true],
  ["the whole text", "abc", "abc", true],
  ["more than the text", "abcd", "abc", false],
  ["one byte", "c", "abc", true],
])("finds %s or not", (_what, needle, text, isFound) => {
  expect(searchOf(Buffer.from(needle))(Buffer.from(text), 0, text.length)).toBe(isFound);
});
