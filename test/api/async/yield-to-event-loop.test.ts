/** Long work in steps: at once, in slices between other work, and one at a time. */

import { setImmediate as nextTurn } from "node:timers/promises";
import { expect, it, vi } from "vitest";
import {
  createExclusively,
  createPoliteYield,
  createYield,
  runSteps,
  runStepsInSlices,
} from "../../../src/api/async/yield-to-event-loop.ts";

function* countTo(most: number, done: number[]): Generator<void, string, void> {
  for (let nth = 1; nth <= most; nth++) {
    done.push(nth);
    yield;
  }
  return "all";
}

it.each([
  ["createYield", () => createYield(0)],
  ["createPoliteYield", () => createPoliteYield(0)],
])("does the same steps at once and in slices of %s, between which other work runs", async (_, create) => {
  const atOnce: number[] = [];
  const inSlices: number[] = [];
  const turns: number[] = [];
  let isOver = false;
  const others = (async () => {
    for (; !isOver; await nextTurn()) turns.push(inSlices.length);
  })();

  expect(runSteps(countTo(5, atOnce))).toBe("all");
  expect(await runStepsInSlices(countTo(5, inSlices), create(), () => true)).toBe("all");
  isOver = true;
  await others;

  expect(inSlices).toEqual(atOnce);
  expect(new Set(turns).size).toBeGreaterThan(3);
});

it.each([
  ["a second", {}, 1_000],
  ["its own limit", { pausesMaxMs: 10 }, 10],
])("pauses for %s in all, however long others wait for a processor", async (_, limit, totalMs) => {
  const pauses: number[] = [];
  const sleep = async (ms: number): Promise<void> => {
    pauses.push(ms);
  };
  const politely = createPoliteYield(0, {
    isContended: () => true,
    sleep,
    ...limit,
  });

  for (let slice = 0; slice < 40; slice++) {
    const { user } = process.cpuUsage();
    while (process.cpuUsage().user - user < 5_000) {}
    await politely();
  }

  expect(pauses[0]).toBeGreaterThan(0);
  expect(pauses.reduce((sum, ms) => sum + ms, 0)).toBeCloseTo(totalMs, 6);
});

it("pauses once its thread has waited in two slices that follow each other, and not for a moment", async () => {
  const before = performance.now();
  vi.useFakeTimers({ toFake: ["performance"] });
  // Past the half second that another test has left.
  vi.advanceTimersByTime(before + 1_000);
  let pauses = 0;
  let waitedMs = 0;
  const politely = createPoliteYield(0, {
    isContended: () => false,
    waits: () => waitedMs,
    sleep: async () => {
      pauses++;
    },
  });
  const slice = async (elapsedMs: number, waited: number) => {
    vi.advanceTimersByTime(elapsedMs);
    waitedMs += waited;
    const { user } = process.cpuUsage();
    while (process.cpuUsage().user - user < 200) {}
    await politely();
    return pauses;
  };
  try {
    expect(await slice(2, 50)).toBe(0);
    expect(await slice(20, 0)).toBe(0);
    expect(await slice(2, 50)).toBe(0);
    // It began at once, and had to wait long.
    expect(await slice(60, 50)).toBe(1);
    expect(await slice(99, 0)).toBe(2);
    expect(await slice(1, 0)).toBe(2);
    expect(await slice(2, 50)).toBe(2);
    expect(await slice(19, 0)).toBe(2);
    expect(await slice(2, 50)).toBe(3);
  } finally {
    vi.useRealTimers();
  }
});

it("does no further step of work that has become pointless", async () => {
  const done: number[] = [];

  expect(await runStepsInSlices(countTo(5, done), createYield(0), () => done.length < 2)).toBeUndefined();

  expect(done).toEqual([1, 2]);
});

it("does one at a time, in order, also after one that fails, and apart from another queue", async () => {
  const [exclusively, apart] = [createExclusively(), createExclusively()];
  const log: string[] = [];
  const take =
    (name: string, isBroken = false) =>
    async (): Promise<void> => {
      log.push(`${name} begins`);
      await nextTurn();
      await nextTurn();
      log.push(`${name} ends`);
      if (isBroken) throw new Error(name);
    };

  const all = await Promise.allSettled([
    exclusively(take("a", true)),
    exclusively(take("b")),
    apart(take("c")),
  ]);

  expect(all.map(({ status }) => status)).toEqual(["rejected", "fulfilled", "fulfilled"]);
  expect(log.filter((line) => !line.startsWith("c"))).toEqual(["a begins", "a ends", "b begins", "b ends"]);
  expect(log.indexOf("c begins")).toBeLessThan(log.indexOf("a ends"));
});
