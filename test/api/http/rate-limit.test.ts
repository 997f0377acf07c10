import type { MiddlewareHandler } from "hono";
import { describe, expect, it } from "vitest";
import { ApiError } from "../../../src/api/http/errors.ts";
import { perApp } from "../../../src/api/http/limits/count-requests.ts";
import { createAppLimit, createInFlightLimiter } from "../../../src/api/http/limits/in-flight-limiter.ts";
import { overLimit, rateLimit, type Taken } from "../../../src/api/http/limits/rate-limit.ts";
import { createMemoryRateLimiter } from "../../../src/api/http/limits/rate-limiter.ts";
import { anonymousGraphqlLimit, tiers } from "../../../src/api/http/limits/tiers.ts";
import { type ApiEnv, answerError, createRouter } from "../../../src/api/http/router.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";

describe("the text of a refusal", () => {
  it.each([
    [overLimit(tiers.basic, "app", 7), "Limit: 300 requests per 10 seconds per app; retry in 7 s"],
    [
      overLimit(anonymousGraphqlLimit, "client", 1),
      "Limit: 600 requests per 10 seconds per client, pages and GraphQL combined; retry in 1 s",
    ],
    [
      overLimit({ requests: 100, retrySeconds: 5, unit: "streams" }, "app", 5),
      "Limit: 100 streams at once per app; retry in 5 s",
    ],
  ])("names the amount, the window and whose requests count: %s", (text, expected) => {
    expect(text).toBe(expected);
  });
});

/** A router whose requests come from the app that they name; `work` is what a request waits for. */
function createLimited(limit: MiddlewareHandler<ApiEnv>, work: () => Promise<void> = async () => {}) {
  const router = createRouter();
  router.onError((error, c) => answerError(error, c, silentLogger));
  router.use(async (c, next) => {
    c.set("app", {
      id: c.req.query("app") ?? "one",
      keyId: "key",
      name: "",
      apis: [],
      collections: null,
      tier: "basic",
    });
    await next();
  });
  router.get("/", limit, async (c) => {
    await work();
    return c.text("done");
  });
  return (app = "one") => router.request(`/?app=${app}`);
}

describe("a limit of so many at once", () => {
  const places = () => createInFlightLimiter({ requests: 2, retrySeconds: 3 });

  it("refuses an app's next request while they run, says when to retry, and delays no other app", async () => {
    const open: (() => void)[] = [];
    const ask = createLimited(rateLimit(perApp(places())), () => new Promise((end) => open.push(end)));

    const running = [ask(), ask(), ask("two")];
    const refused = await ask();

    expect([refused.status, refused.headers.get("retry-after")]).toEqual([429, "3"]);
    // Of a window, which this limit has none of.
    expect(refused.headers.get("ratelimit-limit")).toBeNull();
    for (const end of open) end();
    expect((await Promise.all(running)).map(({ status }) => status)).toEqual([200, 200, 200]);
  });

  it("is free again after requests that ended, well or not", async () => {
    let fails = true;
    const ask = createLimited(rateLimit(perApp(places())), async () => {
      if (fails) throw new ApiError("UNAVAILABLE");
    });

    for (let sent = 0; sent < 4; sent++) expect((await ask()).status).toBe(503);
    fails = false;
    expect((await ask()).status).toBe(200);
  });
});

describe("a limit of so many at once per app and in all", () => {
  it("refuses over either limit, and an app over its own takes nothing from the others", () => {
    const take = createAppLimit({ requests: 1, retrySeconds: 3 }, { requests: 2, retrySeconds: 5 });
    const refusal = (message: string, retryAfterSeconds: number) =>
      expect.objectContaining({ details: [{ path: "", message }], retryAfterSeconds });
    const release = take("one");

    for (let nth = 0; nth < 3; nth++)
      expect(() => take("one")).toThrow(refusal("Limit: 1 requests at once per app; retry in 3 s", 3));
    const releaseOther = take("two");
    expect(() => take("three")).toThrow(refusal("Limit: 2 requests at once per process; retry in 5 s", 5));

    releaseOther();
    take("three");
    release();
    take("one");
  });
});

describe("the middleware", () => {
  const limit = { name: "middleware", requests: 1, seconds: 60 };

  it("reports the limit with every answer, but of a cacheable one only with a refusal that nobody stores", async () => {
    const [plain, cacheable] = [false, true].map((isCacheable) =>
      createLimited(rateLimit(perApp(createMemoryRateLimiter(limit)), { isCacheable })),
    );
    const headersOf = async (ask = plain) => {
      const { status, headers } = (await ask?.()) ?? new Response();
      return [status, ...["ratelimit-remaining", "cache-control"].map((name) => headers.get(name))];
    };

    expect([await headersOf(plain), await headersOf(plain)]).toEqual([
      [200, "0", null],
      [429, "0", null],
    ]);
    expect([await headersOf(cacheable), await headersOf(cacheable)]).toEqual([
      [200, null, null],
      [429, "0", "no-store"],
    ]);
  });

  it("lets through what is not to be counted, and takes whatever a request costs", async () => {
    const limiter = createMemoryRateLimiter({ ...limit, requests: 10 });
    const taken: Promise<Taken>[] = [];
    const ask = createLimited(
      rateLimit((c) => {
        const cost = Number(c.req.query("app"));
        if (cost === 0) return undefined;
        taken.push(limiter.take("all", cost));
        return { limit: limiter.limit, per: "process", taken: taken.at(-1) as Promise<Taken> };
      }),
    );

    const statuses = [];
    for (const cost of ["8", "0", "3", "1", "0"]) statuses.push((await ask(cost)).status);
    expect(statuses).toEqual([200, 200, 429, 429, 200]);
  });
});
