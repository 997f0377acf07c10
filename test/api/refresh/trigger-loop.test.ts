import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it, onTestFinished } from "vitest";
import type { ChainTriggers } from "../../../src/api/refresh/triggers/chain-triggers.ts";
import type { Sweeps } from "../../../src/api/refresh/triggers/sweeps.ts";
import { restAfter, startTriggerLoop } from "../../../src/api/refresh/triggers/trigger-loop.ts";
import { eventually } from "../../support/eventually.ts";
import { createBarrier, createMemoryLogger } from "../../support/processes/worker.ts";

const unhandled: unknown[] = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));

/** `handleBatch` returns whether another batch waits. */
function start(
  handleBatch: () => Promise<boolean>,
  advance: Sweeps["advance"] = async () => "idle",
  isBackfill = false,
) {
  const { logger, entries } = createMemoryLogger();
  const receiptTimeout = { check: async () => undefined };
  const triggers: ChainTriggers = {
    handleBatch: async () => ({ isMore: await handleBatch(), isBackfill }),
  };
  const loop = startTriggerLoop({ triggers, sweeps: { advance }, receiptTimeout, logger });
  onTestFinished(() => loop.stop());
  return { loop, log: entries };
}

it.each([
  [99, false, false, 0],
  [100, false, false, 100],
  [101, false, false, 101],
  [5_000, true, false, 0],
  [1, false, true, 4],
  [2_499, true, true, 9_996],
  [2_500, true, true, 10_000],
  [2_501, false, true, 10_000],
])(
  "a batch of %i ms (more: %s, backfill: %s) is followed by a rest of %i ms",
  (tookMs, isMore, isBackfill, restMs) => {
    expect(restAfter(tookMs, { isMore, isBackfill })).toBe(restMs);
  },
);

describe("the search for chain triggers", () => {
  it("begins at once and goes on by itself, since nobody announces a reverted block", async () => {
    let passes = 0;
    start(async () => {
      passes++;
      return false;
    });

    await eventually(
      () => passes,
      (count) => count >= 3,
    );
  });

  it("works a backlog to its end in one pass, and sweeps after each batch", async () => {
    const steps: string[] = [];
    let left = 3;
    const { loop } = start(
      async () => {
        steps.push("batch");
        return --left > 0;
      },
      async () => {
        steps.push("sweep");
        return "idle";
      },
    );

    await eventually(
      () => steps.length,
      (count) => count >= 6,
    );
    await loop.stop();

    expect(steps.slice(0, 6)).toEqual(["batch", "sweep", "batch", "sweep", "batch", "sweep"]);
  });

  it("goes on while sweeps move, and looks for triggers in between once the chain has moved", async () => {
    const steps: string[] = [];
    const { loop } = start(
      async () => {
        steps.push("batch");
        return false;
      },
      async () => {
        steps.push("sweep");
        if (steps.length === 3) loop.wake();
        return steps.length < 5 ? "moved" : "idle";
      },
    );

    await eventually(
      () => steps.length,
      (count) => count >= 6,
    );
    await loop.stop();

    expect(steps.slice(0, 5)).toEqual(["batch", "sweep", "sweep", "batch", "sweep"]);
  });

  it("looks for triggers again where the chain moved while it looked", async () => {
    const steps: string[] = [];
    const { loop } = start(
      async () => {
        steps.push("batch");
        await Promise.resolve();
        if (steps.length === 1) loop.wake();
        return false;
      },
      async () => {
        steps.push("sweep");
        return "waiting";
      },
    );

    await eventually(
      () => steps.length,
      (count) => count >= 4,
    );
    await loop.stop();

    expect(steps.slice(0, 4)).toEqual(["batch", "sweep", "batch", "sweep"]);
  });

  it("rests after a batch that took long for as long, however often the chain moves", async () => {
    const begun: number[] = [];
    const ended: number[] = [];
    const { loop } = start(async () => {
      begun.push(performance.now());
      await sleep(150);
      loop.wake();
      ended.push(performance.now());
      return false;
    });

    await eventually(
      () => ended.length,
      (count) => count >= 2,
    );

    const [first = 0, second = 0] = begun;
    const [firstEnd = 0] = ended;
    expect(second - firstEnd).toBeGreaterThanOrEqual(firstEnd - first - 2);
  });

  it.each([
    ["with a backlog", true],
    ["without one", false],
  ])(
    "rests four times as long while the chain index is built, %s, and sweeps meanwhile",
    async (_, isLeft) => {
      const begun: number[] = [];
      let firstEnd = 0;
      let sweeps = 0;
      const { loop } = start(
        async () => {
          begun.push(performance.now());
          await sleep(300);
          firstEnd ||= performance.now();
          return isLeft;
        },
        async () => {
          if (begun.length === 1 && ++sweeps < 3) setTimeout(() => loop.wake(), 10);
          return "idle";
        },
        true,
      );

      await eventually(
        () => begun.length,
        (count) => count >= 2,
      );

      const [first = 0, second = 0] = begun;
      expect(second - firstEnd).toBeGreaterThanOrEqual(4 * (firstEnd - first) - 5);
      expect(sweeps).toBeGreaterThan(1);
    },
  );

  it("stops after the batch it is at, even with a backlog, and starts no other", async () => {
    const rateLimits = createBarrier();
    let batches = 0;
    const { loop } = start(async () => {
      batches++;
      await rateLimits.opened;
      return true;
    });

    loop.wake();
    const stopped = loop.stop();
    rateLimits.open();
    await stopped;
    loop.wake();

    expect(batches).toBe(1);
  });
});
