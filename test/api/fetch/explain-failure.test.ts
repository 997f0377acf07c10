/** Reasons are stored and indexed: strangers choose neither their length nor half a character. */

import { expect, it } from "vitest";
import { explainFailure } from "../../../src/api/fetch/explain-failure.ts";
import { locate } from "../../../src/api/fetch/locate.ts";

const bytes = (text: string): number => Buffer.byteLength(text);

it("a reason with a scheme of any length fits into an index", () => {
  const refused = locate(`${"a".repeat(8_000)}:1`, []);
  if (refused.kind !== "refused") throw new Error("it is located");

  const reason = explainFailure(refused);

  expect(reason).toMatch(/^unsupported_scheme: the URI is a+\u2026$/);
  expect(bytes(reason)).toBeLessThan(2_000);
});

it.each(["", "a"])("a reason ends with a whole character: %j before it", (before) => {
  const reason = explainFailure({ reason: "timeout", message: before + "\u{1f600}".repeat(2_000) });

  expect(reason).toMatch(/\u{1f600}\u2026$/u);
  expect(reason.isWellFormed()).toBe(true);
  expect(bytes(reason)).toBeLessThan(2_000);
});

it("a reason of the usual length stays as it is", () => {
  expect(explainFailure({ reason: "timeout", message: "x".repeat(500) })).toBe(`timeout: ${"x".repeat(500)}`);
});
