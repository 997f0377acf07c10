/** Errors are the retry policy: which responses are retried, and when. */

import type { OutgoingHttpHeaders } from "node:http";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createGuardedFetch } from "../../../src/api/fetch/guarded-fetch.ts";
import { type LocalServer, startLocalServer } from "../../support/servers/local-server.ts";

const HTML = { "content-type": "text/html; charset=utf-8" };
const JSON_TYPE = { "content-type": "application/json" };
const options = { bytesMax: 1_000, timeoutMs: 30_000, accept: "application/json" };
const HOUR_MS = 3_600_000;

let server: LocalServer;
let status: number;
let headers: OutgoingHttpHeaders;

beforeAll(async () => {
  server = await startLocalServer((_request, response) => response.writeHead(status, headers).end("body"));
});
afterAll(() => server.close());

const fetchFrom = (url: string) => createGuardedFetch(new Set([new URL(url).host]), "test")(url, options);

function answered(withStatus: number, withHeaders: OutgoingHttpHeaders = {}) {
  status = withStatus;
  headers = withHeaders;
  return fetchFrom(server.url);
}

const rows: { status: number; headers?: OutgoingHttpHeaders; reason: string; transient: boolean }[] = [
  { status: 204, reason: "http_status", transient: false },
  { status: 304, reason: "http_status", transient: false },
  { status: 400, reason: "http_status", transient: false },
  { status: 401, reason: "http_status", transient: false },
  { status: 403, reason: "http_status", transient: false },
  { status: 403, headers: JSON_TYPE, reason: "http_status", transient: false },
  { status: 404, reason: "http_status", transient: false },
  { status: 404, headers: HTML, reason: "http_status", transient: false },
  { status: 410, reason: "http_status", transient: false },
  { status: 408, reason: "http_status", transient: true },
  { status: 425, reason: "http_status", transient: true },
  { status: 429, reason: "http_status", transient: true },
  { status: 429, headers: JSON_TYPE, reason: "http_status", transient: true },
  { status: 500, reason: "http_status", transient: true },
  { status: 500, headers: HTML, reason: "http_status", transient: true },
  { status: 502, reason: "http_status", transient: true },
  { status: 503, reason: "http_status", transient: true },
  { status: 599, reason: "http_status", transient: true },
  { status: 403, headers: HTML, reason: "blocked_by_host", transient: true },
  { status: 429, headers: HTML, reason: "blocked_by_host", transient: true },
  { status: 503, headers: HTML, reason: "blocked_by_host", transient: true },
  { status: 403, headers: { "cf-mitigated": "challenge" }, reason: "blocked_by_host", transient: true },
  { status: 503, headers: { "cf-mitigated": "challenge" }, reason: "blocked_by_host", transient: true },
];

it.each(rows)("reads $status with $headers as $reason", async (row) => {
  const fetched = await answered(row.status, row.headers);

  expect(fetched).toMatchObject({ kind: "failed", reason: row.reason, transient: row.transient });
  expect(fetched).toHaveProperty("message", expect.stringContaining(String(row.status)));
});

it("asks the host's owner to let our User-Agent through when a challenge is in the way", async () => {
  expect(await answered(403, HTML)).toHaveProperty(
    "message",
    expect.stringContaining("its owner must let our"),
  );
});

describe("Retry-After", () => {
  it.each([
    { header: undefined, ms: undefined },
    { header: "0", ms: 0 },
    { header: "2", ms: 2_000 },
    { header: "3600", ms: HOUR_MS },
    { header: "3601", ms: HOUR_MS },
    { header: "9".repeat(400), ms: undefined },
    { header: "soon", ms: undefined },
    { header: new Date(0).toUTCString(), ms: 0 },
    { header: "Fri, 31 Dec 9999 23:59:59 GMT", ms: HOUR_MS },
  ])("$header waits $ms ms", async ({ header, ms }) => {
    const sent = header === undefined ? {} : { "retry-after": header };

    expect(await answered(429, sent)).toHaveProperty("retryAfterMs", ms);
    expect(await answered(503, { ...sent, ...HTML })).toHaveProperty("retryAfterMs", ms);
  });

  it("counts a date from now", async () => {
    const fetched = await answered(429, { "retry-after": new Date(Date.now() + 600_000).toUTCString() });

    const { retryAfterMs = 0 } = fetched.kind === "failed" ? fetched : {};
    expect(retryAfterMs).toBeGreaterThan(0);
    expect(retryAfterMs).toBeLessThanOrEqual(600_000);
  });
});

describe("transport faults are worth another try", () => {
  it("when nobody listens", async () => {
    const gone = await startLocalServer((_request, response) => response.end());
    await gone.close();

    expect(await fetchFrom(gone.url)).toMatchObject({
      reason: "unreachable",
      transient: true,
      message: "the host can't be reached (ECONNREFUSED)",
    });
  });

  it("when the name does not resolve", async () => {
    expect(await fetchFrom("http://vitrine.invalid/")).toMatchObject({
      reason: "unreachable",
      transient: true,
    });
  });

  it("when the connection breaks before or inside the answer", async () => {
    const breaking = await startLocalServer(({ url }, response) => {
      if (url === "/inside") response.writeHead(200, { "content-length": 100 }).write("half");
      setImmediate(() => response.destroy());
    });

    for (const path of ["/", "/inside"]) {
      expect(await fetchFrom(`${breaking.url}${path}`)).toMatchObject({
        reason: "unreachable",
        transient: true,
      });
    }
    await breaking.close();
  });

  it("when what says to be gzip is not", async () => {
    expect(await answered(200, { "content-encoding": "gzip" })).toMatchObject({
      kind: "failed",
      transient: true,
    });
  });
});
