import { expect, it } from "vitest";
import { withoutTrailing } from "../../../src/api/text/without-trailing.ts";

it.each([
  ["https://a.example///", "https://a.example"],
  ["https://a.example", "https://a.example"],
  ["/a//b/", "/a//b"],
  ["///", ""],
  ["", ""],
])("of %j, %j is left", (text, left) => {
  expect(withoutTrailing(text, "/")).toBe(left);
});
