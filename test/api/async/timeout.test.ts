import { getEventListeners } from "node:events";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { describe, expect, it } from "vitest";
import { withDeadline, withTimeout } from "../../../src/api/async/timeout.ts";

const never = new Promise<string>(() => {});
const LONG_MS = 60_000;

describe("withTimeout", () => {
  it.each([
    ["an answer in time", () => withTimeout(LONG_MS, Promise.resolve("yes")), "yes"],
    ["undefined for one that takes longer", () => withTimeout(1, never), undefined],
    ["undefined for a failure", () => withTimeout(LONG_MS, Promise.reject(new Error("away"))), undefined],
    ["undefined for a late one, asked to rethrow", () => withTimeout(1, never, { rethrow: true }), undefined],
  ])("gives %s", async (_, ask, expected) => {
    expect(await ask()).toBe(expected);
  });

  it("gives the caller the failure where it is asked to", async () => {
    const failing = Promise.reject(new Error("away"));
    await expect(withTimeout(LONG_MS, failing, { rethrow: true })).rejects.toThrow("away");
  });

  it.each([true, false])(
    "leaves no rejection unhandled after the time is over (rethrow: %s)",
    async (rethrow) => {
      let fail = (_: Error): void => {};
      const late = new Promise<string>((_, reject) => {
        fail = reject;
      });
      expect(await withTimeout(1, late, { rethrow })).toBeUndefined();

      // Vitest fails a run that leaves a rejection unhandled.
      fail(new Error("late"));
      await new Promise((resolve) => setImmediate(resolve));
    },
  );
});

describe("withDeadline", () => {
  const untilAborted = (signal: AbortSignal): Promise<unknown> =>
    new Promise((resolve) => signal.addEventListener("abort", () => resolve(signal.reason)));

  it("gives what the work gives, and leaves its signal alone", async () => {
    const signal = await withDeadline(1, undefined, async (given) => given);
    await new Promise((resolve) => setTimeout(resolve, 5));
    expect(signal.aborted).toBe(false);
  });

  it("aborts with the caller's signal, and with its reason", async () => {
    const caller = new AbortController();
    const aborted = withDeadline(LONG_MS, caller.signal, untilAborted);
    caller.abort("enough");
    expect(await aborted).toBe("enough");
    expect(await withDeadline(LONG_MS, caller.signal, async ({ reason }) => reason)).toBe("enough");
  });

  it("aborts with the given reason when the time is over", async () => {
    const reason = new Error("ours");
    expect(await withDeadline(1, undefined, untilAborted, () => reason)).toBe(reason);
  });

  it("leaves the caller's signal without a listener, also after a failure", async () => {
    const caller = new AbortController();
    const failing = withDeadline(LONG_MS, caller.signal, () => Promise.reject(new Error("failed")));
    await expect(failing).rejects.toThrow("failed");
    expect(getEventListeners(caller.signal, "abort")).toEqual([]);
  });

  it("aborts when the time is over, whatever the garbage collector does", async () => {
    setFlagsFromString("--expose-gc");
    const collecting = setInterval(runInNewContext("gc"), 20);
    const caller = new AbortController();
    const aborted = withDeadline(500, caller.signal, untilAborted);
    expect(await aborted.finally(() => clearInterval(collecting))).toMatchObject({ name: "TimeoutError" });
  });
});
