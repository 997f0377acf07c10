import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { parseRetryAfter } from "../../../src/api/text/retry-after.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: Date.parse("2026-01-31T12:00:00Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

it.each([
  ["120", 120_000],
  ["0", 0],
  ["0.5", 500],
  ["-5", 0],
  ["Sat, 31 Jan 2026 12:02:00 GMT", 120_000],
  ["Sat, 31 Jan 2026 11:59:59 GMT", 0],
  ["Saturday, 31-Jan-26 12:02:00 GMT", 120_000],
  ["9".repeat(400), Number.POSITIVE_INFINITY],
  ["soon", undefined],
  ["", undefined],
  [" ", undefined],
  [null, undefined],
  [undefined, undefined],
])("Retry-After %j asks for %s ms", (header, ms) => {
  expect(parseRetryAfter(header)).toBe(ms);
});
