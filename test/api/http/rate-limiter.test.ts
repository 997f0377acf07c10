import { describe, expect, it } from "vitest";
import { createRateLimiter } from "../../../src/api/http/limits/rate-limiter.ts";
import { createTestDatabase } from "../../support/database.ts";
import { eventually } from "../../support/eventually.ts";

const { database } = await createTestDatabase();
const limit = (name: string) => ({ name, requests: 25, seconds: 600 });
const takeMany = (limiter: ReturnType<typeof createRateLimiter>, times: number, key = "app") =>
  Promise.all(Array.from({ length: times }, () => limiter.take(key)));
const allowed = (taken: readonly { readonly isAllowed: boolean }[]): number =>
  taken.filter(({ isAllowed }) => isAllowed).length;

describe("a rate limit", () => {
  it("is exact across processes that count at the same time", async () => {
    const slow = new Set<string>();
    const takeTogether = async (name: string) => {
      const start = () => createRateLimiter(database, limit(name), () => () => void slow.add(name));
      const taken = await Promise.all([takeMany(start(), 30), takeMany(start(), 30)]);
      return { name, count: allowed(taken.flat()) };
    };
    let nth = 0;

    // A database that takes longer than a second, as on a machine that others use, is not waited for.
    const { count } = await eventually(
      () => takeTogether(`shared ${nth++}`),
      ({ name }) => !slow.has(name),
    );

    expect(count).toBe(25);
  });

  it("counts each key and each limit for itself", async () => {
    const limiter = createRateLimiter(database, limit("own"));
    await takeMany(limiter, 30);

    expect(await limiter.take("another app")).toMatchObject({ isAllowed: true, remaining: 24 });
    expect(await createRateLimiter(database, limit("another")).take("app")).toMatchObject({ remaining: 24 });
    expect(await limiter.take("app")).toMatchObject({ isAllowed: false, remaining: 0 });
  });

  it("reports how many seconds its window has left, and starts anew after them", async () => {
    const limiter = createRateLimiter(database, { name: "short", requests: 2, seconds: 2 });

    const refused = await eventually(
      () => limiter.take("app"),
      ({ isAllowed }) => !isAllowed,
    );

    expect(refused.resetSeconds).toBeGreaterThanOrEqual(1);
    expect(refused.resetSeconds).toBeLessThanOrEqual(2);
    await eventually(
      () => limiter.take("app"),
      ({ isAllowed }) => isAllowed,
    );
  });

  it("holds within one process while the database is away", async () => {
    const away = { query: () => Promise.reject(new Error("connection refused")) };
    const limiter = createRateLimiter(away, limit("away"));

    expect(allowed(await takeMany(limiter, 30))).toBe(25);
  });
});
