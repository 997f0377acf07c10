/** Every refusal without words of its own says what a value must be and what arrived; none repeats much of it. */

import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { explainInvalid, kindOf, listAtMost, shown, sized } from "../src/invalid-value.ts";

const messageOf = (schema: z.ZodType, value: unknown) =>
  schema.safeParse(value, { error: explainInvalid }).error?.issues.map(({ message }) => message);

describe("a value that a schema refuses", () => {
  it.each<[z.ZodType, unknown, string]>([
    [z.string(), undefined, "must be a string; it is missing"],
    [z.string(), null, "must be a string; it is null"],
    [z.string(), 5, "must be a string; it is a number"],
    [z.number(), "5", "must be a number; it is a string"],
    [z.number(), JSON.parse("1e999"), "must be a number; it is a number too large to hold"],
    [z.number(), "", "must be a number; it is empty"],
    [z.number(), " \t", "must be a number; it is blank"],
    [z.int(), "1", "must be a whole number; it is a string"],
    [z.int(), 1.5, "must be a whole number; it is 1.5"],
    [z.boolean(), "true", "must be true or false; it is a string"],
    [z.array(z.string()), {}, "must be an array; it is an object"],
    [z.object({}), [], "must be an object; it is an array"],
    [z.record(z.string(), z.string()), 1, "must be an object; it is a number"],
    [z.enum(["list", "transfer", "trade"]), "buy", 'must be list, transfer or trade; it is "buy"'],
    [
      z.discriminatedUnion("method", [
        z.object({ method: z.literal("sign") }),
        z.object({ method: z.literal("ask") }),
      ]),
      { method: "send" },
      'must be sign or ask; it is "send"',
    ],
    [z.tuple([z.string()]), "x", "must be an array; it is a string"],
    [z.enum(["list", "trade"]), undefined, "must be list or trade; it is missing"],
    [z.literal("chain"), 1, "must be chain; it is 1"],
    [z.enum(["a", "b"]), { a: 1 }, "must be a or b; it is an object"],
    [z.uuid(), "7", 'must be a UUID; it is "7"'],
    [z.uuid(), 7, "must be a UUID; it is a number"],
    [
      z.iso.datetime(),
      "tomorrow",
      'must be an ISO 8601 time in UTC, such as 2026-01-31T12:00:00Z; it is "tomorrow"',
    ],
    [z.iso.datetime(), 5, "must be an ISO 8601 time in UTC, such as 2026-01-31T12:00:00Z; it is a number"],
    [z.string().min(1), "", "must not be empty"],
    [z.string().min(3), "ab", "has 2 characters; the least is 3"],
    [z.string().max(3), "abcd", "has 4 characters; the limit is 3"],
    [z.array(z.number()).min(1), [], "must not be empty"],
    [z.array(z.number()).min(2), [1], "has 1 entry; the least is 2"],
    [z.array(z.number()).max(1), [1, 2], "has 2 entries; the limit is 1"],
    [z.array(z.number()).max(1, listAtMost("blocks", 1)), [1, 2], "has 2 blocks; the limit is 1"],
    [z.number().min(0), -1, "must be at least 0; it is -1"],
    [z.number().positive(), 0, "must be more than 0; it is 0"],
    [z.number().max(10), 11, "must be at most 10; it is 11"],
    [z.number().lt(10), 10, "must be less than 10; it is 10"],
    [z.strictObject({ a: z.string() }), { a: "", b: 1, C: 2 }, 'has no field "b", "C"'],
    [z.string({ error: "must rhyme" }), 1, "must rhyme"],
  ])("%o %j: %s", (schema, value, message) => {
    expect(messageOf(schema, value)).toEqual([message]);
  });

  it.each([
    [z.string().min(1, sized).max(3, sized), "must be a string; it is an object"],
    [z.array(z.string()).max(3, listAtMost("names", 3)), "must be an array; it is an object"],
  ])("is not measured where it has the wrong type, whatever its length: %o", (schema, message) => {
    for (const length of [0, 99_999, { toString: 1, valueOf: 1 }])
      expect(messageOf(schema, { length })).toEqual([message]);
  });

  it("is repeated in part, as are the names of fields that nobody knows", () => {
    const long = "x".repeat(1_000);

    expect(messageOf(z.uuid(), long)).toEqual([`must be a UUID; it is "${"x".repeat(80)}…"`]);
    const names = Object.fromEntries(Array.from({ length: 5_000 }, (_, nth) => [`${nth}${long}`, nth]));
    const [message] = messageOf(z.strictObject({}), names) ?? [];
    expect(message?.match(/"[^"]*"/g)).toHaveLength(10);
    expect(message?.length).toBeLessThan(1_000);
  });
});

it("an object without a prototype, as GraphQL's literals are, is shown as any other", () => {
  const literal = Object.create(null);

  expect([shown(literal), kindOf(literal)]).toEqual(["an object", "an object"]);
});

it.each([
  ["text", '"text"'],
  ["", '""'],
  [0, "0"],
  [false, "false"],
  [null, "null"],
  [undefined, "missing"],
  [[1], "an array"],
  [JSON.parse("1e999"), "a number too large to hold"],
])("%j is shown as %s", (value, text) => {
  expect(shown(value)).toBe(text);
});

it("no recorded answer has the words of the library", () => {
  const folder = new URL("answers/recorded/", import.meta.url);
  const files = readdirSync(folder);

  expect(files.length).toBeGreaterThan(5);
  for (const file of files)
    expect(readFileSync(new URL(file, folder), "utf8")).not.toMatch(
      /Invalid (input|option|UUID|string|ISO)|Too (small|big): expected|Unrecognized key/,
    );
});
