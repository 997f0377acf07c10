/** A search thread that answers nothing is ended; one that is only busy is not. */

import { afterEach, beforeEach, expect, it, vi } from "vitest";
import { createWatchdog } from "../../../src/api/search/threads/watchdog.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

function createCase() {
  const calls: string[] = [];
  const watchdog = createWatchdog({
    ping: () => calls.push("ping"),
    end: () => calls.push("end"),
    pingMs: 1_000,
  });
  return { calls, watchdog };
}

it("ends a thread that is silent for four pings, once, however many answers it owes", async () => {
  const { calls, watchdog } = createCase();
  watchdog.suspect();
  watchdog.suspect();
  await vi.advanceTimersByTimeAsync(60_000);

  expect(calls).toEqual(["ping", "ping", "ping", "ping", "end"]);
});

it.each(["heard", "stop"] as const)("leaves it alone once it is %s, and suspects it anew", async (event) => {
  const { calls, watchdog } = createCase();
  watchdog.suspect();
  await vi.advanceTimersByTimeAsync(3_500);
  watchdog[event]();
  await vi.advanceTimersByTimeAsync(60_000);
  expect(calls).toEqual(["ping", "ping", "ping", "ping"]);

  watchdog.suspect();
  await vi.advanceTimersByTimeAsync(4_000);
  expect(calls.slice(4)).toEqual(["ping", "ping", "ping", "ping", "end"]);
});
