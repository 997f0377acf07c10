import { describe, expect, it } from "vitest";
import { withTimeout } from "../../../src/api/jobs/timeout.ts";

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
