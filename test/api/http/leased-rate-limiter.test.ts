import { beforeEach, describe, expect, it } from "vitest";
import type { Queryable } from "../../../src/api/db/database.ts";
import { createLeasedRateLimiter } from "../../../src/api/http/limits/leased-rate-limiter.ts";
import type { RateLimit } from "../../../src/api/http/limits/rate-limit.ts";
import { createPoints, createRateLimiter } from "../../../src/api/http/limits/rate-limiter.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";

const { database } = await createTestDatabase();
const LIMIT: RateLimit = { name: "leased", requests: 400, seconds: 60 };

beforeEach(() => database.query("truncate vitrine.rate_limit"));

/** One process, with a count of its statements. */
function replica(limit = LIMIT, db: Queryable = database) {
  let statements = 0;
  const faults: string[] = [];
  const counting: Queryable = {
    query: (sql, parameters, name) => {
      statements++;
      return db.query(sql, parameters, name);
    },
  };
  const points = createPoints(counting, limit, (name) => () => faults.push(name));
  return { limiter: createLeasedRateLimiter(points, limit), statements: () => statements, faults };
}

const away: Queryable = { query: () => Promise.reject(new Error("away")) };

describe("a leased limit", () => {
  it("lets exactly its requests through one process, at once or one by one, and reports what is left", async () => {
    const { limiter } = replica();

    const first = await Promise.all(Array.from({ length: 300 }, () => limiter.take("app")));
    expect(first.every(({ isAllowed }) => isAllowed)).toBe(true);
    const rest = [];
    for (let request = 0; request < 150; request++) rest.push(await limiter.take("app"));

    expect(rest.filter(({ isAllowed }) => isAllowed)).toHaveLength(100);
    expect(rest.slice(0, 100).map(({ remaining }) => remaining)).toEqual(
      Array.from({ length: 100 }, (_, taken) => 99 - taken),
    );
    expect(rest.at(-1)).toMatchObject({ isAllowed: false, remaining: 0 });
    expect(rest.at(-1)?.resetSeconds).toBeGreaterThan(0);
  });

  it("costs a small part of the statements that its requests are", async () => {
    const { limiter, statements } = replica({ ...LIMIT, name: "wide", requests: 100_000 });

    for (let request = 0; request < 5_000; request++) await limiter.take("app");

    expect(statements()).toBeLessThan(200);
  });

  it("is one limit for two processes: never a request more, and at most a twentieth less", async () => {
    const replicas = [replica(), replica()];
    let allowed = 0;
    for (let request = 0; request < 300; request++) {
      const answers = await Promise.all(replicas.map(({ limiter }) => limiter.take("app")));
      allowed += answers.filter(({ isAllowed }) => isAllowed).length;
    }

    expect(allowed).toBeLessThanOrEqual(400);
    expect(allowed).toBeGreaterThanOrEqual(380);
  });

  it("is one limit for many requests at once at many processes", async () => {
    const replicas = Array.from({ length: 4 }, () => replica());

    const answers = await Promise.all(
      replicas.flatMap(({ limiter }) => Array.from({ length: 200 }, () => limiter.take("app"))),
    );

    const allowed = answers.filter(({ isAllowed }) => isAllowed).length;
    expect(allowed).toBe(400);
  });

  it("counts each key by itself", async () => {
    const { limiter } = replica({ ...LIMIT, name: "narrow", requests: 1 });

    const answers = [await limiter.take("a"), await limiter.take("b"), await limiter.take("a")];

    expect(answers.map(({ isAllowed }) => isAllowed)).toEqual([true, true, false]);
  });

  it("keeps the unspent points of 20,000 keys, and forgets those of the least recent beyond", async () => {
    const leases: string[] = [];
    const points = {
      async take(key: string) {
        leases.push(key);
        return { granted: 10, remaining: 100, count: 10, msBeforeNext: 60_000 };
      },
      release: async () => undefined,
    };
    const limiter = createLeasedRateLimiter(points, LIMIT);
    const takeOthers = async (from: number, count: number): Promise<void> => {
      for (let nth = from; nth < from + count; nth++) await limiter.take(`app ${nth}`);
    };

    await limiter.take("app");
    await takeOthers(0, 19_999);
    await limiter.take("app");
    expect(leases.filter((key) => key === "app")).toHaveLength(1);

    await takeOthers(20_000, 20_000);
    await limiter.take("app");
    expect(leases.filter((key) => key === "app")).toHaveLength(2);
  });

  it("starts anew when its window ends", async () => {
    const { limiter } = replica({ name: "short", requests: 2, seconds: 3 });

    const answers = await Promise.all([limiter.take("app"), limiter.take("app"), limiter.take("app")]);
    expect(answers.filter(({ isAllowed }) => isAllowed)).toHaveLength(2);
    expect(await limiter.take("app")).toMatchObject({ isAllowed: false, remaining: 0 });

    await eventually(
      () => limiter.take("app"),
      ({ isAllowed }) => isAllowed,
    );
  });

  it("holds in each process by itself while the database is away, and says so each time", async () => {
    const { limiter, faults } = replica({ ...LIMIT, name: "alone", requests: 3 }, away);

    const answers = [];
    for (let request = 0; request < 4; request++) answers.push(await limiter.take("app"));

    expect(answers.map(({ isAllowed }) => isAllowed)).toEqual([true, true, true, false]);
    expect(faults.length).toBeGreaterThan(0);
    expect(new Set(faults)).toEqual(new Set(["alone"]));
  });
});

describe("an exact limit", () => {
  it("that the database is too slow for is counted without it", async () => {
    const stuck: Queryable = { query: () => new Promise(() => {}) };
    const faults: string[] = [];
    const limiter = createRateLimiter(stuck, { name: "stuck", requests: 1, seconds: 60 }, (name) => () => {
      faults.push(name);
    });

    expect((await limiter.take("client")).isAllowed).toBe(true);
    expect(faults).toEqual(["stuck"]);
  });
});
