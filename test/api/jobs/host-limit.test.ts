/** The rules of asking a host, as tables; and hosts that bear 5, 50 and 500 requests a second, on a clock of their own. */

import { describe, expect, it } from "vitest";
import { type Bounds, createHostLimit, type HostSignal } from "../../../src/api/jobs/host-limit.ts";

const BOUNDS: Bounds = { min: 4, max: 24 };

/** A limit, and rounds of answers that keep as much under way as it allows. */
function start(bounds: () => Bounds = () => BOUNDS) {
  const limit = createHostLimit(bounds);
  let now = 0;
  const round = (signals: readonly HostSignal[] | HostSignal = "answered", ms = 20): void => {
    const startedAt = now;
    const inFlight = limit.max;
    const each = typeof signals === "string" ? Array<HostSignal>(inFlight).fill(signals) : signals;
    now += ms;
    for (const signal of each) limit.ended({ signal, startedAt, endedAt: now, inFlight });
    now++;
  };
  return {
    limit,
    round,
    now: () => now,
    rounds(count: number, ms?: number): void {
      for (let index = 0; index < count; index++) round("answered", ms);
    },
    pass(ms: number): void {
      now += ms;
    },
  };
}

describe("how many requests a host gets at once", () => {
  it("starts at four and grows by one with each round of good answers, up to the bound", () => {
    const { limit, round } = start();

    const seen = Array.from({ length: 25 }, () => {
      const { max } = limit;
      round();
      return max;
    });

    expect(seen.slice(0, 5)).toEqual([4, 5, 6, 7, 8]);
    expect(seen.slice(-5)).toEqual([24, 24, 24, 24, 24]);
  });

  const good = (count: number): HostSignal[] => Array<HostSignal>(count).fill("answered");
  it.each<[what: string, signals: HostSignal[], max: number]>([
    ["24 good answers", good(24), 24],
    ["a 429 among good answers", [...good(23), "refused"], 12],
    ["six 429 of one round, which count once", [...good(18), ...Array<HostSignal>(6).fill("refused")], 12],
    ["a 503 among good answers", [...good(23), "unavailable"], 24],
    [
      "503s above a tenth of the last hundred",
      [...good(8), ...Array<HostSignal>(16).fill("unavailable")],
      12,
    ],
    ["a 500 among good answers", [...good(23), "failed"], 24],
    ["500s below a fifth of the last hundred", [...good(8), ...Array<HostSignal>(16).fill("failed")], 24],
    ["500s above a fifth of the last hundred", Array<HostSignal>(24).fill("failed"), 12],
  ])("after %s", (_, signals, max) => {
    const { limit, round, rounds } = start();
    rounds(20);
    // A hundred answers before.
    rounds(5);

    round(signals);

    expect(limit.max).toBe(max);
  });

  it.each<HostSignal>(["refused", "unavailable", "failed"])(
    "falls with the first ones that are %s of a host that has hardly answered yet",
    (signal) => {
      const { limit, round, rounds } = start();
      rounds(1);
      expect(limit.max).toBe(5);

      round([...good(3), signal, signal]);

      expect(limit.max).toBe(4);
    },
  );

  it.each([
    ["twice the best time and less than 50 ms more", 89, 24],
    ["more than twice the best time and 50 ms", 91, 12],
  ])("with answers that take %s", (_, ms, max) => {
    const { limit, round, rounds } = start();
    rounds(20);

    round("answered", ms);

    expect(limit.max).toBe(max);
  });

  it("takes no notice of one slow document in a round", () => {
    const { limit, rounds, now } = start();
    rounds(20);

    limit.ended({ signal: "answered", startedAt: now() - 20, endedAt: now() + 9_000, inFlight: 24 });
    rounds(1);

    expect(limit.max).toBe(24);
  });

  it("grows again at a host that has become slower for good", () => {
    const { limit, rounds } = start();
    rounds(20);

    rounds(200, 400);

    expect(limit.max).toBe(24);
  });

  it("does not grow while less is under way than it allows", () => {
    const { limit, pass, now } = start();

    for (let index = 0; index < 100; index++) {
      pass(20);
      limit.ended({ signal: "answered", startedAt: now() - 20, endedAt: now(), inFlight: 1 });
    }

    expect(limit.max).toBe(4);
  });

  it("follows its bounds, as when replicas come and go", () => {
    let bounds = BOUNDS;
    const { limit, rounds } = start(() => bounds);
    rounds(30);

    bounds = { min: 2, max: 12 };
    expect(limit.max).toBe(12);
    bounds = { min: 1, max: 1 };
    expect(limit.max).toBe(1);
  });
});

describe("the pace of a host that refuses", () => {
  /** Starts a second over the next two seconds, if nothing else holds them up. */
  function pace({ limit, now }: ReturnType<typeof start>): number {
    let at = now();
    let starts = 0;
    for (const end = at + 2_000; at < end; starts++) {
      at += Math.max(limit.waitMs(at), 0.01);
      limit.started(at);
      if (starts > 10_000) return Number.POSITIVE_INFINITY;
    }
    return starts / 2;
  }

  it.each<[signal: HostSignal, isPaced: boolean]>([
    ["answered", false],
    ["failed", false],
    ["unavailable", true],
    ["refused", true],
  ])("after %s answers", (signal, isPaced) => {
    const host = start();

    host.round(signal);

    expect(pace(host) < 1_000).toBe(isPaced);
  });

  it("is four fifths of what was refused, and a quarter after another refusal within a second", () => {
    const host = start();
    // Four in 20 ms are 200 a second.
    host.round("refused");
    const first = host.limit.waitMs(host.now());
    host.pass(10);
    host.round("refused");
    const second = host.limit.waitMs(host.now());

    expect(first).toBeCloseTo(1_000 / 160 - 1, 0);
    expect(second).toBeCloseTo(1_000 / 40 - 1, 0);
  });

  it("never falls below four fifths of what the host has just answered, however often it refuses", () => {
    const host = start();
    // 100 good answers in 500 ms.
    for (let index = 0; index < 25; index++) host.round(["answered", "answered", "answered", "answered"], 19);

    for (let index = 0; index < 10; index++) host.round(["refused"], 5);

    expect(pace(host)).toBeGreaterThan(75);
  });

  it("is one a second at least", () => {
    const host = start();
    for (let index = 0; index < 50; index++) {
      host.round(["refused"], 20);
      host.pass(500);
    }

    expect(host.limit.waitMs(host.now())).toBeLessThanOrEqual(1_000);
    expect(host.limit.waitMs(host.now())).toBeGreaterThan(0);
  });

  it("rises while nothing is refused, and is lifted in the end", () => {
    const host = start();
    host.round("refused");
    const paces = [0, 5_000, 5_000].map((ms) => {
      host.pass(ms);
      return pace(host);
    });
    host.pass(60_000);

    expect(paces[1]).toBeGreaterThan((paces[0] ?? 0) + 20);
    expect(paces[2]).toBeGreaterThan((paces[1] ?? 0) + 20);
    expect(host.limit.waitMs(host.now())).toBe(0);
    expect(pace(host)).toBe(Number.POSITIVE_INFINITY);
  });
});

describe("how much is claimed ahead", () => {
  it("is what can start meanwhile, by the time of an answer or by the pace", () => {
    const host = start();
    expect(host.limit.startsWithin(100, host.now())).toBe(4);

    host.rounds(20);
    expect(host.limit.startsWithin(100, host.now())).toBe(24 * 5);

    host.rounds(200, 1_000);
    expect(host.limit.startsWithin(100, host.now())).toBeLessThanOrEqual(3);
  });

  it("is next to nothing at a host that is paced", () => {
    const host = start();
    for (let index = 0; index < 5; index++) host.round(["refused"], 20);

    expect(host.limit.startsWithin(100, host.now())).toBe(1);
  });
});

describe("a host that bears so many requests a second", () => {
  interface Model {
    readonly perSecond: number;
    /** What it does beyond that: refuses, by a bucket of a tenth of a second or by the second, or takes longer. */
    readonly over: "429" | "503" | "429 by the second" | "slow";
    /** Of the others, every twentieth ends so. */
    readonly fault?: HostSignal;
  }

  /** Keeps asking for so many seconds of its own clock, each answer taking about 20 ms. */
  function run({ perSecond, over, fault = "answered" }: Model, seconds: number) {
    const limit = createHostLimit(() => BOUNDS);
    const flights: { readonly startedAt: number; readonly endedAt: number; readonly signal: HostSignal }[] =
      [];
    const burst = Math.max(1, perSecond / 10);
    let now = 0;
    let credit = burst;
    let creditAt = 0;
    let second = 0;
    let inSecond = 0;
    let freeAt = 0;
    let good = 0;
    let bad = 0;
    let most = 0;

    const answer = (nth: number) => {
      const fast = { startedAt: now, endedAt: now + 15 + ((nth * 7) % 10) };
      if (over === "slow") {
        freeAt = Math.max(freeAt, now) + 1_000 / perSecond;
        return { ...fast, endedAt: Math.max(fast.endedAt, freeAt), signal: "answered" as const };
      }
      credit = Math.min(burst, credit + ((now - creditAt) * perSecond) / 1_000);
      creditAt = now;
      inSecond = Math.floor(now / 1_000) === second ? inSecond + 1 : 1;
      second = Math.floor(now / 1_000);
      const isBorne = over === "429 by the second" ? inSecond <= perSecond : credit >= 1;
      if (isBorne) credit--;
      if (isBorne) return { ...fast, signal: (nth * 7_919) % 1_000 < 50 ? fault : "answered" };
      const signal = over === "503" ? ("unavailable" as const) : ("refused" as const);
      return { startedAt: now, endedAt: now + 3, signal };
    };

    for (let nth = 0; now < seconds * 1_000; ) {
      while (flights.length < limit.max && limit.waitMs(now) === 0) {
        limit.started(now);
        flights.push(answer(nth++));
        most = Math.max(most, flights.length);
      }
      const ends = Math.min(...flights.map(({ endedAt }) => endedAt));
      const starts = flights.length < limit.max ? now + limit.waitMs(now) : Number.POSITIVE_INFINITY;
      now = Math.max(Math.min(ends, starts), now + 0.01);
      for (const flight of flights.filter(({ endedAt }) => endedAt <= now)) {
        limit.ended({ ...flight, inFlight: flights.length });
        flights.splice(flights.indexOf(flight), 1);
        if (flight.signal === "answered") good++;
        else bad++;
      }
    }
    return { refused: bad / (good + bad), perSecond: good / seconds, most };
  }

  it.each<[perSecond: number, over: Model["over"], refusedMax: number]>([
    [5, "429", 0.12],
    [5, "503", 0.18],
    [5, "429 by the second", 0.12],
    [5, "slow", 0],
    [50, "429", 0.03],
    [50, "503", 0.12],
    [50, "429 by the second", 0.04],
    [50, "slow", 0],
    [500, "429", 0.03],
    [500, "503", 0.09],
    [500, "429 by the second", 0.02],
    [500, "slow", 0],
  ])("%d, and then answers %s, is asked about so much, and refuses little", (perSecond, over, refusedMax) => {
    const seen = run({ perSecond, over }, 60);

    expect(seen.refused).toBeLessThanOrEqual(refusedMax);
    expect(seen.perSecond).toBeGreaterThan(0.75 * perSecond);
  });

  it.each<HostSignal>(["failed", "unavailable"])(
    "without end, with every twentieth answer %s, is asked nearly as much as one without faults",
    (fault) => {
      const model = { perSecond: 1e6, over: "429" } as const;

      const [clean, faulty] = [run(model, 10), run({ ...model, fault }, 10)];

      expect(faulty.most).toBe(24);
      expect(faulty.perSecond).toBeGreaterThan(0.8 * clean.perSecond);
    },
  );

  it("5 with a queue of its own is never asked for more than a few at once", () => {
    expect(run({ perSecond: 5, over: "slow" }, 60).most).toBeLessThanOrEqual(10);
  });
});
