import { afterEach, describe, expect, it, vi } from "vitest";
import { createLeasedRateLimiter } from "../../../src/api/http/limits/leased-rate-limiter.ts";
import { createPoints, createRateLimiter } from "../../../src/api/http/limits/rate-limiter.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { eventually } from "../../support/eventually.ts";

const { database } = await createTestDatabase();
const limit = (name: string) => ({ name, requests: 25, seconds: 600 });
const takeMany = (limiter: ReturnType<typeof createRateLimiter>, times: number, key = "app") =>
  Promise.all(Array.from({ length: times }, () => limiter.take(key)));
const allowed = (taken: readonly { readonly isAllowed: boolean }[]): number =>
  taken.filter(({ isAllowed }) => isAllowed).length;

/** From now on the machine's clock shows another time. */
function stepClock(byMs: number): void {
  const { now } = Date;
  vi.spyOn(Date, "now").mockImplementation(() => now() + byMs);
}

afterEach(() => vi.restoreAllMocks());

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

  it.each([
    ["counted request by request", createRateLimiter],
    [
      "leased",
      (...[db, of]: Parameters<typeof createRateLimiter>) =>
        createLeasedRateLimiter(createPoints(db, of), of),
    ],
  ])("lasts no longer because the clock steps back: %s", async (how, create) => {
    const limiter = create(database, { name: `stepped ${how}`, requests: 2, seconds: 2 });
    await eventually(
      () => limiter.take("app"),
      ({ isAllowed }) => !isAllowed,
    );

    stepClock(-3_600_000);

    await eventually(
      () => limiter.take("app"),
      ({ isAllowed }) => isAllowed,
    );
    const refused = await eventually(
      () => limiter.take("app"),
      ({ isAllowed }) => !isAllowed,
    );
    expect(refused.resetSeconds).toBeLessThanOrEqual(2);
  });

  it("is one for processes whose clocks are half a minute apart", async () => {
    const short = { name: "apart", requests: 25, seconds: 10 };
    const [ahead, behind] = [createRateLimiter(database, short), createRateLimiter(database, short)];
    stepClock(30_000);
    await takeMany(ahead, 10);
    vi.restoreAllMocks();

    expect(allowed(await takeMany(behind, 30))).toBe(15);
  });
});
