import { describe, expect, it } from "vitest";
import { cached, createPromiseCache, singleFlight } from "../../../src/api/async/promise-cache.ts";

/** Loads that count themselves, answered by hand, and a clock that stands still. */
function createCache(options: { max?: number; ttlMs?: number } = {}) {
  let now = 1_000;
  const loads: { key: string; answer: (value: string) => void; fail: () => void }[] = [];
  const cache = createPromiseCache<string, string>({ max: 10, ...options, now: () => now });
  return {
    cache,
    loads,
    ask: (key: string) =>
      cache.get(
        key,
        () =>
          new Promise((answer, reject) => loads.push({ key, answer, fail: () => reject(new Error("away")) })),
      ),
    pass: (ms: number) => {
      now += ms;
    },
  };
}

describe("a promise cache", () => {
  it("has callers of one key share an answer on its way, and later ones have it until its time is over", async () => {
    const { ask, loads, pass } = createCache({ ttlMs: 100 });
    const asked = [ask("a"), ask("a"), ask("b")];
    for (const { key, answer } of loads) answer(key);

    expect(await Promise.all(asked)).toEqual(["a", "a", "b"]);
    pass(99);
    expect(await ask("a")).toBe("a");
    expect(loads).toHaveLength(2);
    pass(1);
    ask("a");
    expect(loads).toHaveLength(3);
  });

  it("counts the time from when an answer was asked for, however late it arrives", async () => {
    const { ask, loads, pass } = createCache({ ttlMs: 100 });
    const asked = ask("a");
    pass(100);
    loads[0]?.answer("old");
    await asked;

    ask("a");
    expect(loads).toHaveLength(2);
  });

  it("passes a failure to all who wait, and keeps it for nobody", async () => {
    const { ask, loads } = createCache();
    const asked = [ask("a"), ask("a")];
    loads[0]?.fail();

    expect((await Promise.allSettled(asked)).map(({ status }) => status)).toEqual(["rejected", "rejected"]);
    const again = ask("a");
    loads[1]?.answer("well");
    expect(await again).toBe("well");
  });

  it("answers those who wait when it is cleared, and nobody after them, by failure neither", async () => {
    const { cache, ask, loads } = createCache();
    const before = [ask("a"), ask("b")];
    cache.clear();
    const after = [ask("a"), ask("b")];
    loads[0]?.answer("old");
    loads[1]?.fail();
    loads[2]?.answer("new");
    loads[3]?.answer("new");

    expect((await Promise.allSettled(before)).map(({ status }) => status)).toEqual(["fulfilled", "rejected"]);
    expect(await Promise.all(after)).toEqual(["new", "new"]);
    expect(await Promise.all([ask("a"), ask("b")])).toEqual(["new", "new"]);
  });

  it("keeps so many keys, the ones used last", async () => {
    const { ask, loads } = createCache({ max: 2 });
    for (const key of ["a", "b", "a", "c", "a"]) ask(key);
    expect(loads.map(({ key }) => key)).toEqual(["a", "b", "c"]);

    ask("b");
    expect(loads).toHaveLength(4);
  });

  it("of one answer keeps 0, false and nothing at all", async () => {
    for (const value of [0, false, "", null, undefined]) {
      let reads = 0;
      const answer = cached(async () => {
        reads++;
        return value;
      });
      expect([await answer.read(), await answer.read(), reads]).toEqual([value, value, 1]);
    }
  });
});

describe("a single flight", () => {
  it("is shared by callers until it ends, and the next caller starts another", async () => {
    const ends: ((answer: string) => void)[] = [];
    const run = singleFlight(() => new Promise<string>((resolve) => ends.push(resolve)));
    const first = [run(), run()];
    ends[0]?.("first");
    expect(await Promise.all(first)).toEqual(["first", "first"]);

    const second = run();
    expect(ends).toHaveLength(2);
    ends[1]?.("second");
    expect(await second).toBe("second");
  });

  it("fails for all who share it, and the next caller tries again", async () => {
    let runs = 0;
    const run = singleFlight(async () => {
      runs++;
      if (runs === 1) throw new Error("away");
      return "there";
    });
    const [first, second] = await Promise.allSettled([run(), run()]);

    expect([first?.status, second?.status, runs]).toEqual(["rejected", "rejected", 1]);
    expect(await run()).toBe("there");
  });
});
