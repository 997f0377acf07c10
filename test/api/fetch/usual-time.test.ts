/** How long to wait for a gateway before another one is asked as well. */

import { expect, it } from "vitest";
import { createUsualTime } from "../../../src/api/fetch/ipfs/usual-time.ts";

const after = (...times: number[]): number => {
  const time = createUsualTime();
  for (const ms of times) time.note(ms);
  return time.ms;
};
const repeated = (ms: number, times: number): number[] => Array.from({ length: times }, () => ms);

it.each([
  ["a second while nothing is known", [], 1_000],
  ["three times the first", [200], 600],
  ["never under 100 ms", repeated(3, 50), 100],
  ["never over 3 s", repeated(9_000, 50), 3_000],
])("is %s", (_what, times, ms) => {
  expect(after(...times)).toBe(ms);
});

it("comes close to a steady time, and follows it when it changes", () => {
  expect(after(...repeated(300, 50))).toBeCloseTo(300, -1);
  expect(after(...repeated(300, 50), ...repeated(900, 100))).toBeCloseTo(900, -1);
});

it("leaves room for times that vary: nine in ten are not late", () => {
  const times = Array.from({ length: 200 }, (_, index) => 200 + ((index * 37) % 100));
  const usual = after(...times);

  expect(times.filter((ms) => ms > usual).length).toBeLessThan(20);
  expect(usual).toBeLessThan(500);
});
