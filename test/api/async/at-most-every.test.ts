import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { atMostEvery } from "../../../src/api/async/at-most-every.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["performance"] });
});
afterEach(() => {
  vi.useRealTimers();
});

it("drops calls until the time since the last one that ran is over, and never the first", () => {
  const ran: string[] = [];
  const log = atMostEvery(1_000, (text: string) => ran.push(text));

  log("first");
  log("at once");
  vi.advanceTimersByTime(999);
  log("a moment early");
  vi.advanceTimersByTime(1);
  log("in time");
  vi.advanceTimersByTime(999);
  log("early again");

  expect(ran).toEqual(["first", "in time"]);
});
