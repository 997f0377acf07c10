import { afterEach, beforeEach, describe, expect, it, onTestFinished, vi } from "vitest";
import {
  LeaseLost,
  type LeaseRun,
  type LeaseWorkerOptions,
  startLeaseWorker,
} from "../../../src/api/jobs/lease-worker.ts";
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

const passMs = (ms: number) => vi.advanceTimersByTimeAsync(ms);

/** A queue by hand, whose worker polls each second, and each 200 ms while something runs. */
function start(
  queue: number[],
  run: (lease: number, run: LeaseRun) => Promise<void>,
  options: Partial<LeaseWorkerOptions<number>> = {},
) {
  const { logger, entries } = createMemoryLogger();
  const seen = {
    claims: [] as number[],
    started: [] as number[],
    running: new Set<number>(),
    most: 0,
    renewed: [] as number[][],
    released: [] as number[][],
  };
  const worker = startLeaseWorker<number>({
    work: "visit",
    concurrency: 4,
    pollMs: 1_000,
    busyPollMs: 200,
    renewMs: 5_000,
    logger,
    async claim(free) {
      seen.claims.push(free);
      return queue.splice(0, free);
    },
    renew: async (leases) => void seen.renewed.push([...leases]),
    release: async (leases) => void seen.released.push([...leases]),
    async run(lease, context) {
      seen.started.push(lease);
      seen.running.add(lease);
      seen.most = Math.max(seen.most, seen.running.size);
      try {
        await run(lease, context);
      } finally {
        seen.running.delete(lease);
      }
    },
    describe: (lease) => ({ lease }),
    ...options,
  });
  onTestFinished(() => worker.stop());
  return { worker, seen, log: entries };
}

const count = (to: number): number[] => Array.from({ length: to }, (_, index) => index + 1);
const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve()));
const atOnce = async (): Promise<void> => undefined;

describe("claims", () => {
  it("never exceed the places, and go on as places become free until all is done", async () => {
    const { seen } = start(count(50), () => new Promise((resolve) => setTimeout(resolve, 30)));

    await passMs(2_000);

    expect(seen.started).toEqual(count(50));
    expect(seen.most).toBe(4);
    expect(Math.max(...seen.claims)).toBe(4);
  });

  it("ask for no more than the places that are free", async () => {
    const barriers = new Map(count(6).map((lease) => [lease, createBarrier()]));
    const { seen } = start(count(6), (lease) => barriers.get(lease)?.opened ?? atOnce());
    await passMs(0);
    expect(seen.claims).toEqual([4]);

    barriers.get(2)?.open();
    await passMs(40);

    expect(seen.claims).toEqual([4, 1]);
    expect([...seen.running]).toEqual([1, 3, 4, 5]);
    for (const { open } of barriers.values()) open();
  });

  it("are made once for places that become free within a moment, and at once when most are free", async () => {
    const barriers = new Map(count(4).map((lease) => [lease, createBarrier()]));
    const { seen } = start(count(4), (lease) => barriers.get(lease)?.opened ?? atOnce());
    await passMs(0);

    barriers.get(1)?.open();
    await passMs(10);
    barriers.get(2)?.open();
    await passMs(29);
    expect(seen.claims).toEqual([4]);
    await passMs(1);
    expect(seen.claims).toEqual([4, 2]);

    barriers.get(3)?.open();
    await passMs(0);

    expect(seen.claims).toEqual([4, 2, 3]);
    barriers.get(4)?.open();
  });

  it("come after what ran out was put back, which is looked for once a second", async () => {
    const queue: number[] = [];
    const expired = [1];
    let returns = 0;
    const { seen } = start(queue, (lease) => new Promise((resolve) => setTimeout(resolve, 900 * lease)), {
      async returnExpired() {
        returns++;
        queue.push(...expired.splice(0));
      },
    });

    await passMs(0);
    expect(seen.started).toEqual([1]);
    await passMs(900);
    expect([returns, seen.claims.length > 3]).toEqual([1, true]);

    expired.push(2);
    await passMs(1_200);
    expect([returns, seen.started]).toEqual([2, [1, 2]]);
    await passMs(2_000);
  });

  it("wait while the database is away, which is logged once", async () => {
    const refuse = () =>
      Promise.reject(Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" }));
    const { log } = start(count(2), atOnce, { returnExpired: refuse, claim: refuse });

    await passMs(5_000);

    expect(log).toEqual([
      { level: "warn", msg: "Could not claim visit leases", reason: "connect ECONNREFUSED" },
    ]);
  });

  it("go on when putting back fails, which is logged", async () => {
    const { seen, log } = start(count(2), atOnce, {
      returnExpired: () => Promise.reject(new Error("away")),
    });

    await passMs(0);

    expect(seen.started).toEqual([1, 2]);
    expect(log).toEqual([{ level: "warn", msg: "Could not return expired visit leases", reason: "away" }]);
  });

  it.each([
    ["two renewals were missed", 10_500, true],
    ["one was", 9_500, false],
  ])("renew the process's own leases before others are put back: %s", async (_, atMs, isRenewed) => {
    const order: string[] = [];
    const barrier = createBarrier();
    let isAway = true;
    const { worker } = start([1], () => barrier.opened, {
      pollMs: 60_000,
      busyPollMs: 60_000,
      async renew() {
        if (isAway) throw new Error("away");
        order.push("renew");
      },
      async returnExpired() {
        order.push("return");
      },
    });
    await passMs(atMs);
    isAway = false;
    order.splice(0);

    worker.wake();
    await passMs(0);

    expect(order).toEqual(isRenewed ? ["renew", "return"] : ["return"]);
    barrier.open();
    await passMs(0);
  });

  it("are gathered after one that found nothing as well, if so asked, until the worker is woken", async () => {
    const queue = count(8);
    const { worker, seen } = start(
      queue,
      (lease) => new Promise((resolve) => setTimeout(resolve, 10 * lease)),
      {
        concurrency: 8,
        busyPollMs: 1_000,
        gathersWhenEmpty: true,
      },
    );

    await passMs(50);
    expect(seen.claims).toEqual([8, 5]);

    // Most places are free at 60 ms, and the next claim comes with those that are freed until 100.
    await passMs(49);
    expect(seen.claims).toEqual([8, 5]);
    await passMs(1);
    expect(seen.claims).toEqual([8, 5, 8]);

    queue.push(9);
    worker.wake();
    await passMs(0);
    expect(seen.started).toContain(9);
    await passMs(90);
  });

  it("may have the place of a run that gives it up before its end, within a bound", async () => {
    const ends = createBarrier();
    const { seen } = start(
      count(9),
      async (_lease, { freePlace }) => {
        freePlace();
        await ends.opened;
      },
      { concurrency: 2, finishingMax: 3 },
    );

    await passMs(2_000);

    expect(seen.started).toEqual(count(5));
    ends.open();
    await passMs(2_000);
    expect(seen.started).toEqual(count(9));
    expect(seen.most).toBe(5);
  });

  it("may have the place of a run once, however often that gives it up", async () => {
    const ends = createBarrier();
    const { seen } = start(
      count(9),
      async (lease, { freePlace }) => {
        if (lease === 1) for (let times = 0; times < 3; times++) freePlace();
        await ends.opened;
      },
      { concurrency: 2, finishingMax: 10 },
    );

    await passMs(2_000);
    ends.open();

    expect(seen.started).toEqual(count(3));
  });

  it("come when something falls due, but not sooner than the busy poll nor later than the poll", async () => {
    const due = [500, 0, 60_000, undefined];
    const { seen } = start([], atOnce, { nextDueMs: async () => due.shift() });
    await passMs(0);

    for (const ms of [500, 200, 1_000, 1_000]) {
      const before = seen.claims.length;
      await passMs(ms - 1);
      expect(seen.claims).toHaveLength(before);
      await passMs(1);
      expect(seen.claims).toHaveLength(before + 1);
    }
  });

  it("that fail are logged and tried again", async () => {
    const queue = count(1);
    let fails = true;
    const { seen, log } = start(queue, atOnce, {
      pollMs: 5_000,
      claim: async (free) => {
        if (fails) throw new Error("the database is away");
        return queue.splice(0, free);
      },
    });
    await passMs(0);
    expect(log).toEqual([
      { level: "warn", msg: "Could not claim visit leases", reason: "the database is away" },
    ]);

    fails = false;
    await passMs(1_000);

    expect(seen.started).toEqual([1]);
  });

  it("are never made by a worker without places", async () => {
    const { worker, seen } = start(count(3), atOnce, { concurrency: 0 });

    worker.wake();
    await passMs(10_000);
    await worker.stop();

    expect(seen.claims).toEqual([]);
  });
});

describe("leases", () => {
  it("are renewed while they run, and no longer", async () => {
    const { opened, open } = createBarrier();
    const { seen } = start([1, 2], (lease) => (lease === 1 ? opened : atOnce()));

    await passMs(10_000);
    expect(seen.renewed).toEqual([[1], [1]]);
    open();
    await passMs(10_000);

    expect(seen.renewed).toHaveLength(2);
  });

  it("run on when a renewal fails, which is logged", async () => {
    const { opened, open } = createBarrier();
    let ended = 0;
    const { log } = start([1], () => opened.then(() => void ended++), {
      renew: () => Promise.reject(new Error("away")),
    });
    await passMs(5_000);
    expect(log).toEqual([{ level: "warn", msg: "Could not renew visit leases", reason: "away" }]);

    open();
    await passMs(0);

    expect(ended).toBe(1);
  });

  it("that are lost are no fault", async () => {
    const faults: number[] = [];
    const { seen, log } = start(
      [1, 2],
      async (lease) => {
        if (lease === 1) throw new LeaseLost();
      },
      { onFault: async (lease) => void faults.push(lease) },
    );
    await passMs(0);

    expect(log).toEqual([{ level: "info", msg: "A visit lost its lease", lease: 1 }]);
    expect(faults).toEqual([]);
    expect(seen.started).toEqual([1, 2]);
  });
});

describe("a fault of ours", () => {
  it("is logged once, is handled, frees its place, and ends nothing else", async () => {
    const faults: number[] = [];
    const bug = new Error("a bug");
    const { seen, log } = start(
      count(5),
      async (lease) => {
        if (lease === 1) throw bug;
      },
      { concurrency: 1, onFault: async (lease) => void faults.push(lease) },
    );
    await passMs(0);

    expect(log).toEqual([{ level: "error", msg: "A visit failed unexpectedly", lease: 1, error: bug }]);
    expect(faults).toEqual([1]);
    expect(seen.started).toEqual(count(5));
    expect(seen.released).toEqual([]);
  });

  it("that can't be handled either is logged, and the lease runs out", async () => {
    const again = new Error("away");
    const { seen, log } = start(
      count(2),
      async (lease) => {
        if (lease === 1) throw new Error("a bug");
      },
      { concurrency: 1, onFault: () => Promise.reject(again) },
    );
    await passMs(0);

    expect(log.map(({ msg }) => msg)).toEqual(["A visit failed unexpectedly", "Could not end a visit"]);
    expect(seen.started).toEqual([1, 2]);
    expect(seen.released).toEqual([]);
  });
});

describe("a stop", () => {
  it("aborts what runs, releases its leases before it has ended, waits for it, and claims nothing more", async () => {
    const ends = createBarrier();
    const queue = count(6);
    const { worker, seen, log } = start(queue, async (_lease, { signal }) => {
      await untilAborted(signal);
      await ends.opened;
      throw new Error("cut off");
    });
    await passMs(0);
    let isStopped = false;

    const stopped = worker.stop().then(() => (isStopped = true));
    await passMs(60_000);
    expect(seen.released).toEqual([[1, 2, 3, 4]]);
    expect([isStopped, seen.running.size]).toEqual([false, 4]);
    ends.open();
    await stopped;
    worker.wake();
    await passMs(60_000);

    expect(seen.running.size).toBe(0);
    expect(queue).toEqual([5, 6]);
    expect(seen.renewed).toEqual([]);
    // That they failed is the stop's own doing.
    expect(log).toEqual([]);
  });

  it("during a claim releases what was claimed and runs nothing of it", async () => {
    const { opened, open } = createBarrier();
    const { worker, seen } = start([], atOnce, {
      claim: async () => {
        await opened;
        return [1, 2];
      },
    });

    const stopped = worker.stop();
    open();
    await stopped;

    expect(seen.released).toEqual([[1, 2]]);
    expect(seen.started).toEqual([]);
  });

  it("resolves though leases can't be released, which is logged", async () => {
    const { worker, log } = start([1], (_lease, { signal }) => untilAborted(signal), {
      release: () => Promise.reject(new Error("away")),
    });
    await passMs(0);

    await worker.stop();

    expect(log).toEqual([{ level: "warn", msg: "Could not release visit leases", reason: "away" }]);
  });

  it("without work asks the database nothing", async () => {
    const { worker, seen } = start([], atOnce);
    await passMs(0);

    await worker.stop();

    expect(seen.released).toEqual([]);
  });
});
