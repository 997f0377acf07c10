import { beforeEach, describe, expect, it, vi } from "vitest";
import { createDaily, type DailyJob, repeatInBatches, startDaily } from "../../../src/api/jobs/daily.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";
import { createBarrier, createMemoryLogger, failingWhen } from "../../support/processes/worker.ts";

const { database } = await createTestDatabase();
beforeEach(() => database.query("truncate vitrine.daily_job"));

const passHours = (hours: number) =>
  database.query("update vitrine.daily_job set ran_at = ran_at - $1 * interval '1 hour'", [hours]);

describe("a daily job", () => {
  const counted = (name = "tidy up", fails = () => false) => {
    const job = {
      name,
      runs: 0,
      async run() {
        job.runs++;
        if (fails()) throw new Error("no room");
        return 0;
      },
    };
    return job satisfies DailyJob;
  };

  it("runs once a day, whichever of several processes polls", async () => {
    const job = counted();
    const { logger } = createMemoryLogger();
    const processes = [1, 2, 3].map(() => createDaily({ database, jobs: [job], logger }));
    const runDue = () => Promise.all(processes.map((each) => each.runDue()));

    await runDue();
    await runDue();
    expect(job.runs).toBe(1);
    await passHours(23);
    await runDue();
    expect(job.runs).toBe(1);
    await passHours(2);
    await runDue();
    expect(job.runs).toBe(2);
  });

  it("that fails because the database is away is due again once it is back", async () => {
    let isAway = false;
    const job = counted("tidy up", () => isAway);
    const { logger } = createMemoryLogger();
    const daily = createDaily({ database: failingWhen(database, () => isAway), jobs: [job], logger });
    const { run } = job;
    job.run = () => {
      isAway = true;
      return run();
    };
    await daily.runDue();
    await daily.runDue();
    expect(job.runs).toBe(1);

    isAway = false;
    job.run = run;
    await daily.runDue();
    await daily.runDue();

    expect(job.runs).toBe(2);
  });

  it("runs although a clock that has stepped back since says that it ran in the future", async () => {
    const job = counted();
    const { logger } = createMemoryLogger();
    const daily = createDaily({ database, jobs: [job], logger });
    await daily.runDue();
    await passHours(-48);

    await daily.runDue();
    await daily.runDue();

    expect(job.runs).toBe(2);
  });

  it("that fails is said so, is due again, and keeps no other job from running", async () => {
    let broken = true;
    const bad = counted("bad", () => broken);
    const good = counted("good");
    const { logger, entries } = createMemoryLogger();
    const daily = createDaily({ database, jobs: [bad, good], logger });

    await daily.runDue();
    expect(good.runs).toBe(1);
    expect(entries).toContainEqual({ level: "warn", msg: "Daily job failed", job: "bad", reason: "no room" });

    broken = false;
    await daily.runDue();
    expect([bad.runs, good.runs]).toEqual([2, 1]);
  });
});

it("the job of a process that was killed is due again after an hour, and that of one that works on it is not", async () => {
  const { logger } = createMemoryLogger();
  let runs = 0;
  const start = (work: DailyJob["run"]) =>
    createDaily({ database, jobs: [{ name: "endless", run: work }], logger, rest: async () => undefined });
  const runElsewhere = async () => {
    await start(async () => runs++).runDue();
    return runs;
  };
  const going = createBarrier();
  const goOn = createBarrier();
  void start(async (throttled) => {
    going.open();
    await goOn.opened;
    await throttled.query("select 1");
    return new Promise(() => undefined);
  }).runDue();
  await going.opened;

  const claims = () => database.query<{ at: string }>("select ran_at::text as at from vitrine.daily_job");
  const [claimed] = await claims();
  const now = performance.now.bind(performance);
  const clock = vi.spyOn(performance, "now").mockImplementation(() => now() + 660_000);
  goOn.open();
  await eventually(claims, ([renewed]) => renewed?.at !== claimed?.at);
  clock.mockRestore();
  await passHours(0.9);
  expect(await runElsewhere()).toBe(0);
  await passHours(0.2);
  expect(await runElsewhere()).toBe(1);
});

it("a job rests between its steps for four times what each took, and ten seconds at most", async () => {
  const STEP_MS = 30;
  const rests: number[] = [];
  const step = "select pg_sleep($1::float8 / 1000)";
  const job: DailyJob = {
    name: "sleep",
    async run(throttled) {
      await throttled.query(step, [STEP_MS]);
      await throttled.transaction(async (tx) => {
        await tx.query(step, [STEP_MS]);
        await tx.query(step, [STEP_MS]);
      });
      await throttled.query(step, [3_000]);
      await throttled.query(step, [0]);
      return rests.length;
    },
  };
  const rest = async (ms: number) => rests.push(ms);
  const { logger, entries } = createMemoryLogger();

  await createDaily({ database, jobs: [job], logger, rest }).runDue();

  expect(entries).toEqual([{ level: "info", msg: "Daily job done", job: "sleep", rows: 3 }]);
  expect(rests[0]).toBeGreaterThanOrEqual(4 * STEP_MS);
  expect(rests[1]).toBeGreaterThanOrEqual(4 * 2 * STEP_MS);
  expect(rests[2]).toBe(10_000);
});

it("a process that stops waits for one step of a job, which stays due and is not called a failure", async () => {
  const endless: DailyJob = {
    name: "endless",
    async run(throttled) {
      for (;;) await throttled.query("select pg_sleep(0.01)");
    },
  };
  const next = vi.fn(async () => 0);
  const { logger, entries } = createMemoryLogger();
  const daily = startDaily({ database, jobs: [endless, { name: "next", run: next }], logger });
  const due = () => database.query<{ name: string }>("select name from vitrine.daily_job");
  await eventually(due, (rows) => rows.length === 1);

  await daily.stop();

  expect(await due()).toEqual([]);
  expect(next).not.toHaveBeenCalled();
  expect(entries).toEqual([]);
});

it("a job that fails after another process has taken it over leaves that one's claim", async () => {
  const job: DailyJob = {
    name: "endless",
    async run() {
      await passHours(25);
      await createDaily({ database, jobs: [{ name: "endless", run: async () => 0 }], logger }).runDue();
      throw new Error("no room");
    },
  };
  const { logger } = createMemoryLogger();

  await createDaily({ database, jobs: [job], logger }).runDue();

  expect(await database.query("select name from vitrine.daily_job")).toEqual([{ name: "endless" }]);
});

it("deletions run on until nothing is left, however many rows there are", async () => {
  await database.query("create table vitrine.litter as select generate_series(1, 4500) as n");

  const deleted = await repeatInBatches(
    database,
    "delete from vitrine.litter where n in (select n from vitrine.litter limit $1) returning 1",
  );

  expect(deleted).toBe(4500);
  expect(await database.query("select from vitrine.litter")).toEqual([]);
});

it("a job that can't be done yet stays due, is not logged, and says that it waits", async () => {
  let isReady = false;
  const job: DailyJob = { name: "later", run: async () => (isReady ? 3 : undefined) };
  const { logger, entries } = createMemoryLogger();
  const daily = createDaily({ database, jobs: [job], logger });

  expect(await daily.runDue()).toBe(true);
  expect(entries).toEqual([]);

  isReady = true;
  expect(await daily.runDue()).toBe(false);
  expect(entries).toEqual([{ level: "info", msg: "Daily job done", job: "later", rows: 3 }]);
});
