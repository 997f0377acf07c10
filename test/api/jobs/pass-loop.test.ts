import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import { type NextPass, type PassLoopOptions, startPassLoop } from "../../../src/api/jobs/pass-loop.ts";
import { createBarrier, createMemoryLogger } from "../../support/processes/worker.ts";

const unhandled: unknown[] = [];
process.on("unhandledRejection", (reason) => unhandled.push(reason));

beforeEach(() => {
  vi.useFakeTimers();
});
afterEach(() => {
  vi.useRealTimers();
  expect(unhandled).toEqual([]);
});

/** Lets everything happen that waits for no timer. */
const settle = () => vi.advanceTimersByTimeAsync(0);
const passMs = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** A loop that polls once a second. `pass` gets the number of the pass, from 1. */
function start(
  pass: (nth: number, signal: AbortSignal) => Promise<NextPass | undefined>,
  options: Partial<PassLoopOptions> = {},
) {
  const { logger, entries } = createMemoryLogger();
  const counts = { begun: 0, running: 0, most: 0 };
  const loop = startPassLoop({
    task: "tidy up",
    pollMs: 1_000,
    logger,
    async pass(signal) {
      counts.most = Math.max(counts.most, ++counts.running);
      try {
        return await pass(++counts.begun, signal);
      } finally {
        counts.running--;
      }
    },
    ...options,
  });
  onTestFinished(() => loop.stop());
  return { loop, counts, log: entries };
}
const nothing = async () => undefined;

describe("a pass", () => {
  it("comes at once, and then after each poll", async () => {
    const { counts } = start(nothing);
    expect(counts.begun).toBe(1);

    await passMs(999);
    expect(counts.begun).toBe(1);
    await passMs(1);
    expect(counts.begun).toBe(2);
    await passMs(1_000);
    expect(counts.begun).toBe(3);
  });

  it("comes at once for a wake between passes, and the poll counts from its end", async () => {
    const { loop, counts } = start(nothing);
    await passMs(600);

    loop.wake();
    expect(counts.begun).toBe(2);
    await passMs(999);
    expect(counts.begun).toBe(2);
    await passMs(1);

    expect(counts.begun).toBe(3);
  });

  it("that is woken causes exactly one more, however many wakes there are, and never two at once", async () => {
    const first = createBarrier();
    const { loop, counts } = start(async (nth) => {
      if (nth === 1) await first.opened;
      return undefined;
    });
    for (let wakes = 0; wakes < 5; wakes++) loop.wake();
    // Nor does a poll begin one beside it.
    await passMs(5_000);
    expect(counts.begun).toBe(1);

    first.open();
    await settle();
    await passMs(999);

    expect(counts.begun).toBe(2);
    expect(counts.most).toBe(1);
  });

  it("that wakes its own loop before it waits for anything is followed by one, not joined by one", async () => {
    const box: { wake?: () => void } = {};
    const { loop, counts } = start(async (nth) => {
      if (nth === 2) box.wake?.();
      return undefined;
    });
    box.wake = loop.wake;

    await passMs(1_000);

    expect(counts).toMatchObject({ begun: 3, most: 1 });
  });

  it("that fails is logged once, and the next poll tries again", async () => {
    const { counts, log } = start(async (nth) => {
      if (nth === 1) throw new Error("the database is away");
      return undefined;
    });
    await settle();
    expect(log).toEqual([{ level: "warn", msg: "Could not tidy up", reason: "the database is away" }]);

    await passMs(1_000);

    expect(counts.begun).toBe(2);
    expect(log).toHaveLength(1);
  });

  it("that fails while the database is away is logged once until it succeeds, and then that it does", async () => {
    const away = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    const { log } = start(async (nth) => {
      if (nth <= 3 || nth === 5) throw away;
      return undefined;
    });
    const lost = { level: "warn", msg: "Could not tidy up", reason: "connect ECONNREFUSED" };
    await passMs(2_000);
    expect(log).toEqual([lost]);

    await passMs(1_000);
    const back = { level: "info", msg: "Could tidy up again", failed_passes: 3 };
    expect(log).toEqual([lost, back]);

    await passMs(1_000);
    expect(log).toEqual([lost, back, lost]);
  });

  it("that fails for a reason of its own is logged each time", async () => {
    const { log } = start(async () => {
      throw new Error("a bug");
    });

    await passMs(2_000);

    expect(log).toHaveLength(3);
  });

  it("that fails before it waits for anything, or is woken meanwhile, ends the loop as little", async () => {
    const { loop, counts, log } = start(() => {
      throw new Error("a bug");
    });
    loop.wake();
    await settle();

    expect(counts.begun).toBe(2);
    expect(log).toHaveLength(2);
  });
});

describe("the time to the next pass", () => {
  it("is what the last one asks for, shorter than the poll or longer", async () => {
    const { counts } = start(async (nth) => ({ inMs: nth === 1 ? 100 : 5_000 }));

    await passMs(100);
    expect(counts.begun).toBe(2);
    await passMs(4_999);
    expect(counts.begun).toBe(2);
    await passMs(1);
    expect(counts.begun).toBe(3);
  });

  it("is for ever, until a wake, where that is Infinity", async () => {
    const { loop, counts } = start(async () => ({ inMs: Number.POSITIVE_INFINITY }));
    await passMs(100_000);
    expect(counts.begun).toBe(1);

    loop.wake();

    expect(counts.begun).toBe(2);
  });

  it("is no less than the rest, and all wakes within it share one pass", async () => {
    const { loop, counts } = start(nothing, { restMs: 50 });
    await settle();

    for (let wakes = 0; wakes < 5; wakes++) loop.wake();
    await passMs(49);
    expect(counts.begun).toBe(1);
    await passMs(1);
    expect(counts.begun).toBe(2);
    await passMs(999);

    expect(counts.begun).toBe(2);
  });

  it("is no less than the rest that the last one asks for, whatever wakes the loop", async () => {
    const { loop, counts } = start(async () => ({ inMs: 0, restMs: 200 }), { restMs: 50 });
    await settle();
    loop.wake();

    await passMs(199);
    expect(counts.begun).toBe(1);
    await passMs(1);

    expect(counts.begun).toBe(2);
  });

  it("may be its own after a fault, and for the first pass", async () => {
    const { counts } = start(
      async () => {
        throw new Error("away");
      },
      { firstMs: 300, afterFaultMs: 100 },
    );
    expect(counts.begun).toBe(0);

    await passMs(300);
    expect(counts.begun).toBe(1);
    await passMs(100);
    expect(counts.begun).toBe(2);
  });

  it("is the soonest that several wakes ask for", async () => {
    const { loop, counts } = start(nothing);
    await settle();

    loop.wake(500);
    loop.wake(20);
    loop.wake(300);
    await passMs(20);
    expect(counts.begun).toBe(2);
    await passMs(999);

    expect(counts.begun).toBe(2);
  });
});

describe("a stop", () => {
  it("during a pass aborts its signal, waits for it, and lets no wake begin another", async () => {
    const { opened, open } = createBarrier();
    let isAborted = false;
    const { loop, counts } = start(async (_nth, signal) => {
      signal.addEventListener("abort", () => (isAborted = true));
      await opened;
      return { inMs: 0 };
    });
    loop.wake();
    let isStopped = false;
    const stopped = loop.stop().then(() => (isStopped = true));
    await passMs(5_000);
    expect([isAborted, isStopped]).toEqual([true, false]);

    open();
    await stopped;
    loop.wake();
    await passMs(5_000);

    expect(counts.begun).toBe(1);
  });

  it("between passes ends a rest and the polls at once", async () => {
    const { loop, counts } = start(nothing, { restMs: 500 });
    await settle();
    loop.wake();

    await loop.stop();
    await passMs(5_000);

    expect(counts.begun).toBe(1);
  });

  it("logs nothing about a pass that fails because of it", async () => {
    const { loop, log } = start(
      (_nth, signal) =>
        new Promise((_resolve, reject) =>
          signal.addEventListener("abort", () => reject(new Error("cut off"))),
        ),
    );

    await loop.stop();

    expect(log).toEqual([]);
  });
});

it("a loop that is off never runs a pass, woken or not, and stops", async () => {
  const { loop, counts } = start(nothing, { isOn: false });

  loop.wake();
  await passMs(5_000);
  await loop.stop();

  expect(counts.begun).toBe(0);
});
