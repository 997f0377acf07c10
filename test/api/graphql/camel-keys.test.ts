import { expect, it } from "vitest";
import { camelCase, camelKeys } from "../../../src/api/graphql/own/camel-keys.ts";

it.each([
  ["at_block", "atBlock"],
  ["name", "name"],
  ["external_url_2", "externalUrl_2"],
  ["_x", "X"],
  ["a__b", "a_B"],
  ["x_Y", "x_Y"],
  ["", ""],
  [`${"a_b".repeat(100)}`, `${"aB".repeat(100)}`],
])("%j is %j, however often it is asked for", (name, camel) => {
  expect([camelCase(name), camelCase(name)]).toEqual([camel, camel]);
});

it("converts keys at every depth, as many as there are, and nothing else", () => {
  const many = Object.fromEntries(Array.from({ length: 3_000 }, (_, nth) => [`key_a${nth}`, nth]));

  const converted = camelKeys({ list_of: [{ a_b: "x_y" }, null, 0, ""], ...many }) as Record<string, unknown>;

  expect(converted.listOf).toEqual([{ aB: "x_y" }, null, 0, ""]);
  expect(Object.keys(converted)).toHaveLength(3_001);
  expect(converted.keyA2999).toBe(2_999);
  // An own key, not the prototype.
  expect(JSON.stringify(camelKeys(JSON.parse('{"__proto__": {"a_b": 1}}')))).toBe('{"_Proto__":{"aB":1}}');
});
