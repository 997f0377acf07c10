import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createUsage } from "../../../src/api/access/apps/usage.ts";
import { createRateLimits, failureLimit, wrongKeyLimit } from "../../../src/api/access/limits/rate-limits.ts";
import { createMemoryRateLimiter } from "../../../src/api/http/limits/rate-limiter.ts";
import { anonymousGraphqlLimit, tiers } from "../../../src/api/http/limits/tiers.ts";
import { silentLogger } from "../../../src/api/logging/logger.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { failingWhen } from "../../support/processes/worker.ts";
import { COLLECTION } from "../../support/refresh/refresh.ts";
import { OPERATOR_TOKEN } from "../../support/service-key.ts";

const test = await createTestDatabase();
const { database } = test;

beforeEach(() => database.query("truncate vitrine.rate_limit, vitrine.audit, vitrine.app_usage"));

/** A replica with tiers small enough to exhaust. */
function replica() {
  const usage = createUsage(database, silentLogger);
  const limits = { ...tiers, advanced: { name: "small", requests: 20, seconds: 60 } };
  const rateLimits = createRateLimits({
    database,
    trustedProxies: [],
    baseUrl: "http://localhost",
    countUsage: usage.count,
    limits,
  });
  return { ...createTestApp(test, { rateLimits }), usage };
}

describe("the limit of an app", () => {
  it("is one for two replicas and all of its keys, and its answer says when to come back", async () => {
    const [one, two] = [replica(), replica()];
    const keys = [await one.createKey(undefined, "Shared"), await one.createKey(undefined, "Shared")];

    const answers = [];
    for (let request = 0; request < 30; request++) {
      answers.push(await (request % 2 ? one : two).call("/market/collections", { key: keys[request % 2] }));
    }

    expect(answers.map(({ status }) => status)).toEqual([
      ...Array.from({ length: 20 }, () => 200),
      ...Array.from({ length: 10 }, () => 429),
    ]);
    const refused = answers.at(-1);
    expect(refused?.body).toMatchObject({ message: "API rate limit exceeded", code: "RATE_LIMITED" });
    expect(refused?.headers.get("ratelimit-limit")).toBe("20");
    expect(refused?.headers.get("ratelimit-remaining")).toBe("0");
    const retryAfter = Number(refused?.headers.get("retry-after"));
    expect(retryAfter).toBeGreaterThan(0);
    expect(retryAfter).toBeLessThanOrEqual(60);
    expect(refused?.headers.get("ratelimit-reset")).toBe(String(retryAfter));
  });

  it.each([
    ["GET", "/market/collections"],
    ["POST", "/market/events"],
    ["DELETE", `/market/collections/${COLLECTION}/export`],
    ["HEAD", `/market/collections/${COLLECTION}/export`],
  ])("counts each request once: %s %s", async (method, path) => {
    const api = replica();
    const key = await api.createKey(undefined, method);
    const left = async () => {
      const { headers } = await api.call(path, { key, method });
      return Number(headers.get("ratelimit-remaining"));
    };

    const first = await left();

    expect([first - (await left()), first]).toEqual([1, 19]);
  });

  it("leaves other apps alone", async () => {
    const api = replica();
    const [busy, quiet] = [await api.createKey(undefined, "Busy"), await api.createKey(undefined, "Quiet")];
    for (let request = 0; request < 21; request++) await api.call("/market/collections", { key: busy });

    expect((await api.call("/market/collections", { key: busy })).status).toBe(429);
    expect((await api.call("/market/collections", { key: quiet })).status).toBe(200);
  });

  it("lets requests through while the database can't be asked for it", async () => {
    let isAway = false;
    const limits = { ...tiers, advanced: { name: "away", requests: 20, seconds: 60 } };
    const faults: string[] = [];
    const rateLimits = createRateLimits({
      database: failingWhen(database, () => isAway),
      trustedProxies: [],
      baseUrl: "http://localhost",
      countUsage: () => {},
      onFault: (limit) => () => faults.push(limit),
      limits,
    });
    const api = createTestApp(test, { rateLimits });
    const key = await api.createKey(undefined, "Patient");
    isAway = true;

    expect((await api.call("/market/collections", { key })).status).toBe(200);
    expect(faults).toContain("away");
  });

  it("is counted by the hour, refused requests apart", async () => {
    const api = replica();
    const key = await api.createKey(undefined, "Counted");
    for (let request = 0; request < 22; request++) await api.call("/market/collections", { key });
    await api.usage.flush();
    await api.call("/market/collections", { key });
    await api.usage.flush();

    const [app] = await database.query<{ id: string }>("select id from vitrine.app where name = 'Counted'");
    const rows = await api.usage.read(app?.id ?? "", new Date(Date.now() - 7_200_000));
    const sum = (pick: "requests" | "refused") => rows.reduce((total, row) => total + row[pick], 0);
    expect(rows[0]?.api).toBe("market");
    expect([sum("requests"), sum("refused")]).toEqual([20, 3]);
  });
});

describe("POST /graphql", () => {
  const ask = (api: ReturnType<typeof createTestApp>, sent: { from: string; key?: string }) =>
    api.call("/graphql", { body: { query: "{ __typename }" }, ...sent });

  it("counts callers without a key by their address, at all replicas together", async () => {
    const [one, two] = [createTestApp(test), createTestApp(test)];
    const { requests } = anonymousGraphqlLimit;
    await Promise.all(
      Array.from({ length: requests }, (_, n) => ask(n % 2 ? one : two, { from: "203.0.113.20" })),
    );
    const statuses = [];
    for (let more = 0; more < 100; more++) statuses.push((await ask(one, { from: "203.0.113.20" })).status);

    expect(statuses.at(-1)).toBe(429);
    expect((await ask(one, { from: "203.0.113.21" })).status).toBe(200);
  });

  it("counts a caller with a key by its app, and refuses one that is none", async () => {
    const api = replica();
    const key = await api.createKey(undefined, "Client of GraphQL");

    const { status, headers } = await ask(api, { from: "203.0.113.22", key });

    expect([status, headers.get("ratelimit-limit")]).toEqual([200, "20"]);
    expect((await ask(api, { from: "203.0.113.22", key: "nonsense" })).status).toBe(401);
  });
});

it("the page at a path that nothing serves counts as every other page, and the answer for programs doesn't", async () => {
  const anonymousGraphql = createMemoryRateLimiter({ ...anonymousGraphqlLimit, requests: 2, seconds: 60 });
  const api = createTestApp(test, { rateLimits: { ...replica().rateLimits, anonymousGraphql } });
  const from = "203.0.113.24";
  const lost = () => api.call("/nowhere", { from, headers: { accept: "text/html" } });
  for (const left of ["1", "0"]) {
    const { status, headers } = await lost();
    expect([status, headers.get("ratelimit-remaining")]).toEqual([404, left]);
  }

  const refused = await lost();
  expect([refused.status, refused.body.code]).toEqual([429, "RATE_LIMITED"]);
  expect(Number(refused.headers.get("retry-after"))).toBeGreaterThan(0);
  expect((await api.call("/robots.txt", { from })).status).toBe(429);
  expect((await api.call("/nowhere", { from })).status).toBe(404);
});

describe("wrong operator tokens", () => {
  afterEach(() => void vi.useRealTimers());

  const send = (api: ReturnType<typeof createTestApp>, token: string, from: string) =>
    api.call("/admin/keys", { from, headers: { authorization: `Bearer ${token}` } });

  it("are ten a minute for one client at all replicas; then each gets 429, and the right one is let in", async () => {
    const [one, two] = [createTestApp(test), createTestApp(test)];
    const statuses = [];
    for (let attempt = 0; attempt < failureLimit.requests; attempt++)
      statuses.push((await send(attempt % 2 ? one : two, `wrong token ${attempt}`, "203.0.113.7")).status);
    expect(new Set(statuses)).toEqual(new Set([401]));

    const { status, headers } = await send(one, "wrong token", "203.0.113.7");
    expect(status).toBe(429);
    expect(Number(headers.get("retry-after"))).toBeGreaterThan(0);
    expect((await send(two, OPERATOR_TOKEN, "203.0.113.7")).status).toBe(200);
    expect((await send(one, OPERATOR_TOKEN, "203.0.113.8")).status).toBe(200);
  });

  it("are as many when they come all at once, and leave one row in the audit log", async () => {
    const replicas = [createTestApp(test), createTestApp(test)];
    // Connected, both count in the database from the first wrong token on.
    for (const each of replicas) await send(each, OPERATOR_TOKEN, "203.0.113.10");
    await database.query("truncate vitrine.audit");
    // A process counts alone if the database takes a second, as it may beside other tests.
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });

    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, attempt) =>
        send(replicas[attempt % 2] ?? createTestApp(test), `wrong token ${attempt}`, "203.0.113.10"),
      ),
    );

    const count = (status: number): number => answers.filter((answer) => answer.status === status).length;
    expect([count(401), count(429)]).toEqual([failureLimit.requests, 40 - failureLimit.requests]);
    const rows = await database.query("select action, subject from vitrine.audit");
    expect(rows).toEqual([{ action: "operator.refused", subject: "203.0.113.10" }]);
  });

  it("cost nothing while they are right", async () => {
    const api = createTestApp(test);
    for (let request = 0; request < 15; request++)
      expect((await send(api, OPERATOR_TOKEN, "203.0.113.9")).status).toBe(200);
  });
});

describe("wrong API keys", () => {
  const paths = [
    "/market/collections",
    "/market-partner/refreshes/00000000-0000-4000-8000-000000000000",
    "/registry/v2/0x00000000000000000000000000000000000000aa",
  ];

  it.each([paths, [...paths].reverse()])(
    "are so many a minute for one client, whichever route they are sent to; right ones go on",
    async (...order) => {
      const api = createTestApp(test);
      const key = await api.createKey();
      const from = `203.0.113.${30 + paths.indexOf(order[0] ?? "")}`;
      const statuses: number[] = [];
      for (let sent = 0; sent < wrongKeyLimit.requests; sent++)
        statuses.push((await api.call(order[sent % 3] ?? "", { key: `wrong ${sent}`, from })).status);
      expect(new Set(statuses)).toEqual(new Set([401]));

      const refused = await api.call("/market/collections", { key: "wrong", from });
      expect([refused.status, refused.body.code]).toEqual([429, "RATE_LIMITED"]);
      expect((await api.call("/market/collections", { key, from })).status).toBe(200);
      expect((await api.call("/market/collections", { key: "wrong", from: "203.0.113.60" })).status).toBe(
        401,
      );
    },
  );
});
