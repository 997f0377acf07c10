/** What an app's owner sees of its requests: how they ended, over time and one by one. */

import { generatePrivateKey, privateKeyToAccount } from "viem/accounts";
import { beforeEach, describe, expect, it } from "vitest";
import { forgetOldUsage } from "../../../src/api/access/apps/usage.ts";
import { createRequestLog, LOGGED_MAX } from "../../../src/api/access/requests/request-log.ts";
import { barsOf, startOf, ticksOf } from "../../../src/api/console/app/request-chart.tsx";
import { graphqlRoutes } from "../../../src/api/graphql/routes.ts";
import { tiers } from "../../../src/api/http/limits/tiers.ts";
import { createTestDatabase } from "../../support/database/database.ts";
import { createTestApp } from "../../support/processes/app.ts";
import { failingWhen } from "../../support/processes/worker.ts";
import { createOwnEndpoint } from "../graphql/own-endpoint.ts";
import { createVisitor, type Visitor } from "./visitor.ts";

const test = await createTestDatabase();
const { database } = test;
const limits = { ...tiers, basic: { name: "few", requests: 8, seconds: 60 } };
const api = createTestApp(test, { limits });
const HOUR_MS = 3_600_000;

let partner: Visitor;
let path: string;
let key: string;
let appId: string;

beforeEach(async () => {
  await database.query(
    "truncate vitrine.app, vitrine.rate_limit, vitrine.session, vitrine.audit, vitrine.app_status, vitrine.request_log cascade",
  );
  partner = createVisitor(api);
  await partner.signIn(privateKeyToAccount(generatePrivateKey()));
  path = await partner.createApp("Studio");
  appId = path.split("/").at(-1) ?? "";
  await database.query("update vitrine.app set apis = '{market}'");
  api.access.forget();
  const reveal = /data-key-field="([^"]+)"/.exec((await partner.get(path)).text)?.[1] ?? "";
  key = (JSON.parse((await partner.json(reveal, {})).text) as { key: string }).key;
});

/** The rows of the log as text, newest first. */
async function rowsOf(query = ""): Promise<string[]> {
  const { text } = await partner.get(`${path}/requests${query}`);
  const table = /<caption[^>]*>Last requests<\/caption>.*?<tbody>(.*?)<\/tbody>/s.exec(text)?.[1] ?? "";
  return table
    .split("</tr>")
    .map((row) =>
      row
        .replace(/<[^>]*>/g, " ")
        .replace(/\s+/g, " ")
        .trim(),
    )
    .filter((row) => row !== "");
}
const statuses = () =>
  database.query<{ status: number; requests: number }>(
    "select status, sum(requests)::int as requests from vitrine.app_status group by 1 order by 1",
  );
const apis = async () => {
  const rows = await database.query<{ api: string; requests: number }>(
    "select api, sum(requests)::int as requests from vitrine.app_status group by 1",
  );
  return Object.fromEntries(rows.map(({ api, requests }) => [api, requests]));
};

describe("the Requests tab", () => {
  it("lists each request with its id, time, code and the error's text, and counts it by its status", async () => {
    await api.call("/market/collections", { key });
    const missing = await api.call(
      "/market/collections/0x00000000000000000000000000000000000000aa?chain_id=31337",
      {
        key,
      },
    );
    const forbidden = await api.call("/market-partner/refreshes/1", { key });
    const graphql = await api.call("/graphql", { key, body: { query: "{ __typename }" } });
    while ((await api.call("/market/collections", { key })).status !== 429);
    await api.call("/market/collections");
    await api.call("/market/collections", { key: "vk_wrong" });
    await api.usage.flush();

    const rows = await rowsOf();
    const row = (id: string | null) => rows.find((each) => each.includes(id ?? "none"));
    expect(row(missing.headers.get("x-request-id"))).toMatch(
      /^20\d\d-\d\d-\d\d \d\d:\d\d:\d\d UTC GET \/market\/collections\/0x0+aa\?chain_id=31337 [0-9a-f-]{36} vk_\w+… 404 [\d,]+ ms COLLECTION_NOT_FOUND Collection not found/,
    );
    expect(row(forbidden.headers.get("x-request-id"))).toMatch(
      /403 [\d,]+ ms NOT_ALLOWED You cannot consume this service; api: the app Studio may not use/,
    );
    expect(row(graphql.headers.get("x-request-id"))).toMatch(/POST \/graphql \S+ \S+ 200/);
    expect(rows[0]).toContain(
      "RATE_LIMITED API rate limit exceeded; Limit: 8 requests per 60 seconds per app",
    );
    // Newest first.
    expect(rows.at(-1)).toMatch(/GET \/market\/collections \S+ \S+ 200/);

    expect(await statuses()).toEqual([
      { status: 200, requests: expect.any(Number) },
      { status: 403, requests: 1 },
      { status: 404, requests: 1 },
      { status: 429, requests: 1 },
    ]);
    const { text } = await partner.get(`${path}/requests`);
    expect(text).toContain("3 of them refused or failed");
  });

  it("counts a request for its API, however its path is spelled", async () => {
    const spellings = [
      "/market/collections",
      "/%6darket/collections",
      "/m%61rket/collections",
      "/%6D%61rke%74/collections",
    ];
    for (const spelled of spellings) expect((await api.call(spelled, { key })).status).toBe(200);
    for (const spelled of ["/graphql", "/gr%61phql"])
      await api.call(spelled, { key, body: { query: "{ __typename }" } });
    await api.call("/regis%74ry/v2/nothing", { key });
    await api.usage.flush();

    expect(await apis()).toEqual({ market: 4, graphql: 2, registry: 1 });
  });

  it("names the error of a GraphQL result, whose status is 200", async () => {
    const inner = createTestApp(test);
    const { endpoint } = await createOwnEndpoint(inner);
    const outer = createTestApp(test, { graphql: graphqlRoutes(endpoint, inner.rateLimits) });
    await outer.call("/graphql", { key, body: { query: "{ nothing }" } });
    await outer.usage.flush();

    expect(await rowsOf()).toEqual([
      expect.stringMatching(
        /POST \/graphql \S+ \S+ 200 [\d,]+ ms INVALID_REQUEST Cannot query field &quot;nothing&quot;/,
      ),
    ]);
  });

  it("finds requests by any of their texts, in any case, and none by another app's", async () => {
    const found = await api.call("/market/collections/nothing", { key });
    await api.call("/market/collections", { key });
    await api.usage.flush();

    const id = found.headers.get("x-request-id") ?? "";
    // Not the status alone, whose digits another request's id may have.
    for (const text of [id, id.slice(0, 8).toUpperCase(), "nothing", "404 coll", "collection_not_found"]) {
      const rows = await rowsOf(`?q=${encodeURIComponent(text)}`);
      expect([text, rows.length, rows[0]?.includes(id)]).toEqual([text, 1, true]);
    }
    expect((await partner.get(`${path}/requests?q=%25_`)).text).toContain(
      "No request on record contains this text.",
    );
    const stranger = createVisitor(api);
    await stranger.signIn(privateKeyToAccount(generatePrivateKey()));
    expect((await stranger.get(`${path}/requests`)).status).toBe(404);
  });

  it("shows markup of a request as text, and stores no key that stood in the query", async () => {
    await api.call(`/market/collections?apiKey=${key}&x=%3Cscript%3E`, {});
    await api.call(`/market/collections?APIKEY=${key}`, { key });
    await api.call(`/market/collections?other=${key}`, { key });
    await api.usage.flush();

    const { text } = await partner.get(`${path}/requests`);
    expect(text).toContain("x=%3Cscript%3E");
    expect(text).not.toContain("unknown <script>");
    const stored = await database.query("select path, error from vitrine.request_log");
    expect(stored).toHaveLength(3);
    expect(JSON.stringify(stored)).not.toContain(key);
  });

  it("draws the period that is asked for, and shows the same numbers as a table", async () => {
    const at = (hours: number) => new Date(Math.floor((Date.now() - hours * HOUR_MS) / HOUR_MS) * HOUR_MS);
    for (const [hours, status, requests] of [
      [2, 200, 1_500],
      [2, 503, 7],
      [100, 404, 20],
      [600, 200, 3],
      [900, 200, 1],
    ] as const)
      await database.query("insert into vitrine.app_status values ($1, $2, 'market', $3, $4)", [
        appId,
        at(hours),
        status,
        requests,
      ]);

    const seen = async (range: string) => (await partner.get(`${path}/requests?range=${range}`)).text;
    expect(await seen("24h")).toContain("1,507 requests, 7 of them refused or failed (0.5 %).");
    expect(await seen("7d")).toContain("1,527 requests");
    expect(await seen("30d")).toContain("1,530 requests");
    expect(await seen("century")).toContain("1,507 requests");
    const text = await seen("24h");
    expect(text).toMatch(/<svg[^>]*role="img"[^>]*aria-label="Requests of the last 24 hours: 1,507\./);
    expect(text).toMatch(/<rect class="failed"/);
    expect(text).toMatch(/class="tip".*Failed \(5xx\): 7/s);
    expect(text.replace(/<[^>]*>/g, " ")).toMatch(/Requests by status, last 24 hours.*1,500\s+0\s+0\s+7/s);
  });
});

describe("the log", () => {
  const at = { now: Date.now() };
  const request = (n: number) => ({
    appId,
    keyId: "00000000-0000-0000-0000-000000000000",
    requestId: `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`,
    method: "GET",
    url: `http://localhost/market/${"x".repeat(1_000)}`,
    path: `/market/${"x".repeat(1_000)}`,
    status: 500,
    durationMs: 1.4,
    error: { code: "INTERNAL", message: "e".repeat(5_000) },
  });
  const size = async () =>
    (await database.query<{ rows: number }>("select count(*)::int as rows from vitrine.request_log"))[0]
      ?.rows;

  it("keeps the newest requests in bounded rows, and counts all", async () => {
    const log = createRequestLog(database, () => at.now++);
    for (let n = 0; n < 1_000; n++) {
      log.record(request(n));
      if (n % 90 === 89) await log.flush();
    }
    await log.flush();

    expect(await size()).toBe(LOGGED_MAX);
    const [newest] = await log.read(appId, "", 1);
    expect(newest?.requestId).toMatch(/0999$/);
    expect([newest?.path.length, newest?.error?.length]).toEqual([300, 500]);
    for (let n = 1_000; n < 3_000; n++) log.record(request(n));
    await log.flush();
    expect((await log.read(appId, "", 101)).at(-2)?.requestId).toMatch(/002900$/);
    expect(await statuses()).toEqual([{ status: 500, requests: 3_000 }]);
  });

  it("counts what belongs to no API in one row", async () => {
    const log = createRequestLog(database, () => at.now++);
    for (const path of ["/", "/marketplace", "/Market/collections", "/market collections", "/assets/1"])
      log.record({ ...request(1), path });
    await log.flush();

    expect(await apis()).toEqual({ other: 5 });
  });

  it("keeps the order of requests within a millisecond, and follows a clock that is set back", async () => {
    let time = at.now + HOUR_MS;
    const log = createRequestLog(database, () => time);
    // Their ids are in the opposite order.
    for (const n of [3, 2, 1]) log.record(request(n));
    // A step of less than a second keeps the order; a longer one is followed.
    time -= 999;
    log.record(request(0));
    time -= HOUR_MS - 999;
    log.record(request(9));
    await log.flush();

    const rows = await log.read(appId, "", 10);
    expect(rows.map(({ requestId }) => requestId.at(-1))).toEqual(["0", "1", "2", "3", "9"]);
    expect(rows.at(-1)?.at.getTime()).toBe(time);
  });

  it("loses no count, and keeps the newest requests, while the database is away", async () => {
    let isAway = true;
    const log = createRequestLog(
      failingWhen(database, () => isAway),
      () => at.now++,
    );
    for (let n = 0; n < 150; n++) log.record(request(n));
    await expect(log.flush()).rejects.toThrow();
    for (let n = 150; n < 200; n++) log.record(request(n));
    isAway = false;
    await log.flush();
    await log.flush();

    expect(await statuses()).toEqual([{ status: 500, requests: 200 }]);
    expect(await size()).toBe(100);
    expect((await log.read(appId, "", 1))[0]?.requestId).toMatch(/0199$/);
  });
});

it("deletes requests after 7 days, and counts after 90", async () => {
  const old = (days: number) => new Date(Date.now() - days * 24 * HOUR_MS);
  for (const days of [1, 6, 8, 89, 91]) {
    await database.query("insert into vitrine.app_status values ($1, $2, 'market', 200, 1)", [
      appId,
      old(days),
    ]);
    await database.query(
      "insert into vitrine.request_log values ($1, $2, gen_random_uuid(), gen_random_uuid(), 'GET', '/', 200, 1)",
      [appId, old(days)],
    );
  }
  expect(await forgetOldUsage.run(database)).toBe(4);
  expect(await statuses()).toEqual([{ status: 200, requests: 4 }]);
});

describe("the chart", () => {
  it.each([
    [0, [0, 1]],
    [1, [0, 1]],
    [3, [0, 1, 2, 3]],
    [7, [0, 2, 4, 6, 8]],
    [40, [0, 10, 20, 30, 40]],
    [1_507, [0, 500, 1_000, 1_500, 2_000]],
  ])("has round numbers on its axis up to %i", (most, ticks) => {
    expect(ticksOf(most)).toEqual(ticks);
  });

  it("has a bar for every part of the period, the last of which contains now", () => {
    const now = Date.UTC(2026, 0, 31, 13, 45);
    for (const [range, bars, last] of [
      ["24h", 24, "2026-01-31T13:00"],
      ["7d", 28, "2026-01-31T12:00"],
      ["30d", 30, "2026-01-31T00:00"],
    ] as const) {
      const rows = [
        { hour: startOf(range, now), api: "market", status: 304, requests: 2 },
        { hour: new Date(Date.UTC(2026, 0, 31, 13)), api: "market", status: 429, requests: 3 },
      ];
      const found = barsOf(rows, range, now);
      expect(found).toHaveLength(bars);
      expect(found[0]).toMatchObject({ answered: 2, total: 2 });
      expect(found.at(-1)).toMatchObject({ limited: 3, total: 3 });
      expect(found.at(-1)?.from.toISOString()).toContain(last);
    }
  });
});
