import { describe, expect, it, vi } from "vitest";
import { type BatchOptions, createBatch } from "../../../src/api/async/batch.ts";
import { memoizeByKey } from "../../../src/api/async/memoize.ts";

function createCounted(fail = false) {
  const loads: (readonly string[])[] = [];
  const batch = createBatch(async (keys) => {
    loads.push(keys);
    if (fail) throw new Error("away");
    return new Map(keys.filter((key) => key !== "none").map((key) => [key, key.toUpperCase()]));
  });
  return { loads, batch };
}

describe("a batch", () => {
  it("loads what is asked for in one turn together, each key once, and answers each by its own", async () => {
    const { loads, batch } = createCounted();

    expect(await Promise.all(["a", "b", "a", "none"].map(batch))).toEqual(["A", "B", "A", undefined]);
    expect(loads).toEqual([["a", "b", "none"]]);
  });

  it("waits for what comes by way of other promises in the same turn", async () => {
    const { loads, batch } = createCounted();
    const late = Promise.resolve().then(async () => batch("late"));

    await Promise.all([batch("early"), late]);

    expect(loads).toEqual([["early", "late"]]);
  });

  it("asks anew in a later turn", async () => {
    const { loads, batch } = createCounted();

    await batch("a");
    await batch("a");

    expect(loads).toEqual([["a"], ["a"]]);
  });

  it("fails for all who asked, and for them alone", async () => {
    const { loads, batch } = createCounted(true);

    const ends = await Promise.allSettled([batch("a"), batch("b")]);

    expect(ends.map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    expect(loads).toHaveLength(1);
  });
});

describe("a batch with few loads at once", () => {
  /** Loads that end when the test says so. */
  function createHeld(options: BatchOptions) {
    const loads: { readonly keys: readonly string[]; end(error?: Error): void }[] = [];
    const batch = createBatch<string>(
      (keys) =>
        new Promise((resolve, reject) => {
          const end = (error?: Error) =>
            error ? reject(error) : resolve(new Map(keys.map((key) => [key, `${key} of load`])));
          loads.push({ keys, end });
        }),
      options,
    );
    return { batch, loads, keys: () => loads.map((load) => load.keys) };
  }
  const turn = () => new Promise<void>((resolve) => void setImmediate(resolve));

  it("gathers what is asked for while it loads, and never answers with a load that began before", async () => {
    const { batch, loads, keys } = createHeld({ atOnce: 1 });
    const first = batch("a");
    await turn();
    const later = [batch("a"), batch("b")];
    await turn();
    await turn();
    expect(keys()).toEqual([["a"]]);
    loads[0]?.end();
    await first;
    await turn();

    expect(keys()).toEqual([["a"], ["a", "b"]]);
    loads[1]?.end();
    expect(await Promise.all(later)).toEqual(["a of load", "b of load"]);
  });

  it("begins another beside one that takes long, and never more than so many", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { batch, loads, keys } = createHeld({ atOnce: 2, besideAfterMs: 10 });
      const asked = [batch("a")];
      await turn();
      asked.push(batch("b"));
      await turn();
      await vi.advanceTimersByTimeAsync(9);
      asked.push(batch("c"));
      expect(keys()).toEqual([["a"]]);
      await vi.advanceTimersByTimeAsync(1);
      expect(keys()).toEqual([["a"], ["b", "c"]]);
      asked.push(batch("d"));
      await turn();
      await vi.advanceTimersByTimeAsync(60_000);
      expect(keys()).toHaveLength(2);

      loads[1]?.end();
      await asked[1];
      await turn();
      expect(keys()).toEqual([["a"], ["b", "c"], ["d"]]);
      for (const load of loads) load.end();
      expect(await Promise.all(asked)).toHaveLength(4);
    } finally {
      vi.useRealTimers();
    }
  });

  it("goes on after a load has failed", async () => {
    const { batch, loads, keys } = createHeld({ atOnce: 1 });
    const failed = batch("a").catch((error: Error) => error.message);
    await turn();
    const later = batch("b");
    loads[0]?.end(new Error("away"));

    expect(await failed).toBe("away");
    await turn();
    expect(keys()).toEqual([["a"], ["b"]]);
    loads[1]?.end();
    expect(await later).toBe("b of load");
    const last = batch("c");
    await turn();
    loads[2]?.end();
    expect(await last).toBe("c of load");
  });

  it("splits what is more than one load may hold", async () => {
    const { batch, loads, keys } = createHeld({ atOnce: 2, max: 2 });
    const asked = ["a", "b", "c", "d", "e"].map(batch);
    await turn();
    expect(keys()).toEqual([
      ["a", "b"],
      ["c", "d"],
    ]);
    loads[0]?.end();
    await asked[0];
    await turn();
    expect(keys()).toHaveLength(3);
    for (const load of loads) load.end();

    expect(await Promise.all(asked)).toHaveLength(5);
  });
});

it("a value that is kept by key is made once", () => {
  const made: string[] = [];
  const get = memoizeByKey((key) => {
    made.push(key);
    return { key };
  });

  expect(get("a")).toBe(get("a"));
  expect(get("b")).not.toBe(get("a"));
  expect(made).toEqual(["a", "b"]);
});
